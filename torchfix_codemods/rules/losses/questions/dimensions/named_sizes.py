"""A softmax of what seems to have two dimensions, as a size or a swap that names the second."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.applications import applications, as_applied
from torchfix_codemods.facts.language.arguments import values_given, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of, of_same_shape, source_of
from torchfix_codemods.rules.losses.questions.asked_dimensions import SWAPS, by_use
from torchfix_codemods.rules.losses.questions.dimensions.meant import input_of, same_names
from torchfix_codemods.rules.losses.questions.ranks import at_least
from torchfix_codemods.text.wording import worded

_TWO = at_least(2)


def told_by_sizes(
    facts: Facts, call: ast.Call, tensor: ast.expr | None, ndims: frozenset[int]
) -> str | None:
    """What to write where a line names the second dimension of the input, or of the result.

    Whoever asks for ``p.size(1)``, or swaps the first two, has mostly no others.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.
        ndims: the numbers of dimensions that it can have.

    Returns:
        None where it cannot have two. Of a layer that is applied several times, all have to swap.
    """
    given = input_of(facts, call, tensor)
    if 2 not in ndims:
        return None
    results = [call] if tensor is not None else applications(facts.inference, call) or [call]
    if given is None:
        inputs = [values_given(as_applied(facts.names, each)) for each in results]
        swaps = [_told_swap(facts, each[0]) if len(each) == 1 else None for each in inputs]
        return swaps[0] if all(swaps) else None
    (result,) = results
    asked = follow([Place(facts, result)], _before_size)
    if asked is not None and not asked.is_cut:
        return _told_size(facts, asked.end.node)
    for use in same_names(facts, given):
        if _is_size(use_of(Place(facts, use))):
            return _told_size(facts, use)
    return _told_swap(facts, given)


def _before_size(use: Use) -> Iterable[Place] | None:
    """None of what asks for the second size; else names of the same."""
    if _is_size(use):
        return None
    return use.held() if use.kind == "bound" else ()


def _is_size(use: Use) -> bool:
    """``p.size(1)``, ``p.size()[1]`` and ``p.shape[1]``."""
    facts, user = use.facts, use.facts.parent(use.node)
    if not isinstance(user, ast.Attribute) or user.attr not in ("size", "shape"):
        return False
    asked = facts.parent(user) if user.attr == "size" else user
    place = next(iter(asked.args), None) if isinstance(asked, ast.Call) else None
    item = facts.parent(asked) if asked is not None and place is None else None
    if isinstance(item, ast.Subscript) and item.value is asked:
        place = item.slice
    is_second = place is not None and whole_number(place) == 1
    return is_second and isinstance(use.node, ast.expr) and by_use(facts, use.node) == _TWO


def _told_size(facts: Facts, node: ast.AST) -> str:
    line = facts.origin(getattr(node, "lineno", 0))
    return f"write dim=1, if line {line} asks for the last size of {ast.unparse(node)}"


def _told_swap(facts: Facts, tensor: ast.expr) -> str | None:
    """The same of ``x.transpose(0, 1)``, also by a name."""
    made = source_of(facts, tensor)
    while (inner := of_same_shape(facts, made)) is not None:
        made = source_of(facts, inner)
    found = operated(facts, made) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or found is None or function_of(made) not in SWAPS:
        return None
    if {*map(whole_number, found[2].args)} != {0, 1} or by_use(facts, found[1]) != _TWO:
        return None
    line, of = facts.origin(made.lineno), worded(found[1], "its input")
    return f"write dim=1, if line {line} swaps the only two dimensions of {of}"
