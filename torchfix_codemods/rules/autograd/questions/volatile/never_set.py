"""Volatile flags that a function passes on, and that nothing in the project ever sets."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.held import parameter_held, parameter_kept

#: Through so many functions a flag is followed.
_MOST_HANDED_ON = 3


def is_never_set(flag: ast.expr | None, facts: Facts) -> bool:
    """Whether a flag is a parameter that all calls in the project leave off, by its default or not.

    ``self.evaluation`` is one of the constructor that keeps it. ``not training`` is off where all
    of them leave ``training`` on.

    Args:
        flag: what a call gives for ``volatile=``.
        facts: the facts of the module.
    """
    return _is_always(flag, False, facts, _MOST_HANDED_ON)


def _is_always(flag: ast.expr | None, state: bool, facts: Facts, depth: int) -> bool:
    """Whether all calls leave a flag on, or all off; it is followed through some functions more."""
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return _is_always(flag.operand, not state, facts, depth)
    if not isinstance(flag, (ast.Name, ast.Attribute)) or depth == 0:
        return False
    if isinstance(flag, ast.Name):
        function, parameter = parameter_held(flag, facts)
    else:
        function, parameter = parameter_kept(flag, facts)
        stored = [n for n in facts.names.attributes(flag.attr) if isinstance(n.ctx, ast.Store)]
        if len(stored) != 1:
            return False
    if function is None or parameter is None:
        return False
    given = arguments_of_all_calls(function, parameter, facts)
    return bool(given) and all(
        bool(node.value) is state
        if isinstance(node, ast.Constant)
        else _is_always(node, state, there, depth - 1)
        for there, node in given or ()
    )
