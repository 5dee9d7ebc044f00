"""Branches that wrapped what was no Variable, and moved or converted it as well."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.asked_class import asked_for_class
from torchfix_codemods.facts.libraries.torch_effects import moves_or_casts
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts

_NEVER_RUNS = (
    "no tensor takes this branch today, and until 0.3 each that was no Variable did: write {} "
    "without the test where that is right for what was a Variable, too"
)
_ALWAYS_RUNS = (
    "type(x) is never Variable today, so every tensor takes this branch: write {} without the test"
)


def why_left_out(branch: ast.If, question: ast.Call, facts: Facts) -> str | None:
    """What to say of ``if not isinstance(x, Variable): x = Variable(x).cuda()``, if it is that."""
    test = branch.test
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        return None
    if test.operand is not question:
        return None
    done = _done_to_plain(branch, question.args[0], facts)
    return None if done is None else _NEVER_RUNS.format(done)


def why_taken(compared: ast.Compare, facts: Facts) -> str | None:
    """What to say of ``if type(x) != Variable: x = Variable(x).cuda()``, if it is that."""
    branch = facts.parent(compared)
    if not isinstance(branch, ast.If) or branch.test is not compared:
        return None
    if not isinstance(compared.ops[0], (ast.NotEq, ast.IsNot)):
        return None
    subject = asked_for_class(facts.names, compared.left)
    done = None if subject is None else _done_to_plain(branch, subject, facts)
    return None if done is None else _ALWAYS_RUNS.format(done)


def _done_to_plain(branch: ast.If, subject: ast.expr, facts: Facts) -> str | None:
    """``x = x.cuda()`` of a branch that does that, wraps, and does nothing else."""
    name = done = ast.unparse(subject)
    for statement in branch.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        made = _without_wrapper(statement.value, name, facts)
        if made is None or ast.unparse(statement.targets[0]) != name:
            return None
        done += made.removeprefix(name)
    return None if done == name or branch.orelse else f"`{name} = {done}`"


def _without_wrapper(value: ast.expr, name: str, facts: Facts) -> str | None:
    """``x.cuda()`` of ``Variable(x).cuda()`` and of ``Variable(x.cuda())``."""
    if ast.unparse(value) == name:
        return name
    if not isinstance(value, ast.Call):
        return None
    if facts.name(value.func) == VARIABLE:
        is_only_wrapped = len(value.args) == 1 and not value.keywords and not is_opaque(value)
        return _without_wrapper(value.args[0], name, facts) if is_only_wrapped else None
    if not isinstance(value.func, ast.Attribute):
        return None
    done = _without_wrapper(value.func.value, name, facts)
    if value.func.attr == "detach":
        # The wrapper, as it is written today.
        return done
    if not moves_or_casts(value.func.attr):
        # Arrays and lists may have the method as well.
        return None
    given = [*map(ast.unparse, value.args), *map(ast.unparse, value.keywords)]
    return None if done is None else f"{done}.{value.func.attr}({', '.join(given)})"
