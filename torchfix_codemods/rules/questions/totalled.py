"""Lists of tensors that are put together only for their elements: `torch.cat(losses).sum()`."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given, whole_number
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


def is_laid_in_a_row(call: ast.Call, facts: Facts) -> bool:
    """Whether all elements are put behind each other: ``torch.cat(…).view(1, -1)``.

    How many dimensions the parts of what is joined have does not matter then.
    """
    around = facts.parent(call)
    laid = facts.parent(around) if isinstance(around, ast.Attribute) else None
    if not isinstance(around, ast.Attribute) or around.attr not in ("view", "reshape"):
        return False
    if not isinstance(laid, ast.Call) or laid.func is not around or laid.keywords:
        return False
    sizes = [whole_number(size) for size in laid.args]
    return sizes.count(-1) == 1 and sizes.count(1) == len(sizes) - 1


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
