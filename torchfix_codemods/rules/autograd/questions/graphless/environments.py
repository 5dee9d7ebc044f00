"""What environments of reinforcement learning give: arrays, numbers, tensors that nothing made."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Foreign, Unknown

#: What ``step`` gives: what is seen, the reward, the end (of two kinds since Gym 0.26), the rest.
_GIVEN = (4, 5)


def is_asked(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is ``env.reset()`` or ``env.step(action)`` of an environment like Gym's.

    One is told by the four or five things that its ``step`` gives, of whatever library it is. What
    they see had no graph: they calculate with arrays.

    Args:
        call: the call.
        facts: the facts of its file.
    """
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr not in ("reset", "step"):
        return False
    if not isinstance(facts.value(method.value), (Foreign, Unknown)):
        return False
    return any(
        isinstance(step.func, ast.Attribute)
        and same_expression(step.func.value, method.value)
        and _is_taken_apart(step, facts)
        for step in facts.names.method_calls("step")
    )


def _is_taken_apart(step: ast.Call, facts: Facts) -> bool:
    """``state, reward, done, _ = env.step(action)``."""
    statement = facts.parent(step)
    if not isinstance(statement, ast.Assign) or len(step.args) != 1 or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Tuple) and len(target.elts) in _GIVEN
