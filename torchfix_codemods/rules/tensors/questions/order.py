"""Whether expressions may be evaluated in another order: Python goes from left to right."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts

_STILL = (ast.Name, ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop)
_SUSPENDING = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_DRAWING = ("rand", "normal", "bernoulli", "multinomial", "poisson", "dropout")


def may_change_places(facts: Facts, first: Sequence[ast.expr], later: Sequence[ast.expr]) -> bool:
    """Whether each of ``first`` may be evaluated after ``later`` just as well."""
    together = [*first, *later]
    if any(isinstance(node, _SUSPENDING) for part in together for node in ast.walk(part)):
        return False
    if all(map(_is_still, first)):
        return True
    return all(_only_computes(facts, part) for part in together)


def _is_still(node: ast.expr) -> bool:
    """Whether nothing that is called can change the value: names, literals and their sums."""
    return all(isinstance(part, (*_STILL, ast.expr_context)) for part in ast.walk(node))


def _only_computes(facts: Facts, node: ast.expr) -> bool:
    """Whether evaluating an expression leaves everything as it was."""
    return all(
        _changes_nothing(facts, part) for part in ast.walk(node) if isinstance(part, ast.Call)
    )


def _changes_nothing(facts: Facts, call: ast.Call) -> bool:
    function = call.func
    if python_functions.only_computes(facts.names.builtin(function)):
        return True
    name = facts.name(function)
    if name is not None:
        last = name.rpartition(".")[2]
        return name.startswith(("math.", "torch.")) and _is_settled(last)
    return (
        isinstance(function, ast.Attribute)
        and _is_settled(function.attr)
        and facts.is_shown_tensor(function.value)
    )


def _is_settled(function: str) -> bool:
    return not function.endswith("_") and not any(word in function for word in _DRAWING)
