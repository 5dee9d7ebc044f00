"""Lists of losses that are put together only to be summed up: `torch.cat(losses).sum()`."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Sequence, Tensor

_TOTALS = frozenset({"sum", "mean"})


def is_totalled(call: ast.Call, facts: Facts) -> bool:
    """Whether nothing but the sum or the mean of a tensor is taken: ``torch.mean(torch.cat(…))``.

    How its elements are laid out does not matter then.
    """
    around = facts.parent(call)
    if isinstance(around, ast.Call):
        name = facts.name(around.func) or ""
        is_function = name.startswith("torch.") and name.removeprefix("torch.") in _TOTALS
        return is_function and values_given(around) == [call] == around.args
    total = facts.parent(around) if isinstance(around, ast.Attribute) else None
    return (
        isinstance(around, ast.Attribute)
        and around.attr in _TOTALS
        and isinstance(total, ast.Call)
        and total.func is around
        and not total.args
        and not total.keywords
    )


def may_be_of_variables(node: ast.AST, facts: Facts) -> bool:
    """Whether a file has Variables, and its lines of that age nothing that came later."""
    era = facts.era_of(node)
    return era.has_variables and not era.needs((0, 4))


def are_totalled_losses(node: ast.expr, facts: Facts) -> bool:
    """Whether ``backward()`` shows each of the tensors that are totalled to hold one element.

    A file with Variables wrote ``torch.cat`` for losses that had a dimension. What kept it has the
    same total as one tensor of all of them.
    """
    call, listed = facts.parent(node), facts.value(node)
    if not isinstance(call, ast.Call) or not isinstance(listed, Sequence):
        return False
    tensors = [listed.element] if listed.items is None else listed.items
    are_single = bool(tensors) and all(isinstance(t, Tensor) and t.single for t in tensors)
    return are_single and is_totalled(call, facts) and may_be_of_variables(call, facts)
