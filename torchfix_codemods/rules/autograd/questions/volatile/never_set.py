"""Volatile flags that a function passes on, and that nothing in the project ever sets."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls, parameter_held
from torchfix_codemods.rules.autograd.questions.volatile.given import is_off

#: Through so many functions a flag is followed.
_MOST_HANDED_ON = 3


def is_never_set(flag: ast.expr | None, facts: Facts, depth: int = _MOST_HANDED_ON) -> bool:
    """Whether a flag is a parameter that all calls in the project leave off, by its default or not.

    Args:
        flag: what a call gives for ``volatile=``.
        facts: the facts of the module.
        depth: through how many functions more it is followed.
    """
    if not isinstance(flag, ast.Name) or depth == 0:
        return False
    function, parameter = parameter_held(flag, facts)
    if function is None or parameter is None:
        return False
    given = arguments_of_all_calls(function, parameter, facts)
    return bool(given) and all(
        (isinstance(node, ast.Constant) and is_off(node)) or is_never_set(node, there, depth - 1)
        for there, node in given or ()
    )
