"""Where a dimension is moved before a softmax, and moved back behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of, of_same_shape, source_of
from torchfix_codemods.rules.losses.questions.asked_dimensions import SWAPS


def moved_before(
    facts: Facts, softmax: ast.Call, tensor: ast.expr | None
) -> tuple[ast.expr, int, str] | None:
    """What moves a dimension to a place, where what follows moves it back.

    Args:
        facts: the facts of the module.
        softmax: the softmax.
        tensor: its input: ``x.transpose(axis, 0)``, also by a name; None of a layer.

    Returns:
        the call, the place and what names the dimension: 0 and ``axis``; None where none is moved.
    """
    made = None if tensor is None else source_of(facts, tensor)
    while made is not None and (inner := of_same_shape(facts, made)) is not None:
        made = source_of(facts, inner)
    swapped = None if made is None else _swapped(facts, made)
    if made is None or swapped is None:
        return None

    def moves_back(use: Use) -> Iterable[Place] | None:
        if use.kind in ("argument", "method") and isinstance(use.by, ast.Call):
            if _swapped(use.facts, use.by) == swapped:
                return None
        if use.kind in ("argument", "method", "attribute") and isinstance(use.by, ast.expr):
            return use.result() if of_same_shape(use.facts, use.by) is use.node else ()
        return use.held() if use.kind == "bound" else ()

    back = follow([Place(facts, softmax)], moves_back)
    return None if back is None or back.is_cut else (made, *swapped)


def _swapped(facts: Facts, node: ast.expr) -> tuple[int, str] | None:
    """The place 0 and the name ``axis`` of ``x.transpose(axis, 0)``."""
    if not isinstance(node, ast.Call) or is_opaque(node) or function_of(node) not in SWAPS:
        return None
    found = operated(facts, node)
    given = [] if found is None or found[2].keywords else found[2].args
    places = [place for each in given if (place := whole_number(each)) is not None]
    names = [each for each in given if whole_number(each) is None]
    if len(places) != 1 or len(names) != 1 or not isinstance(names[0], (ast.Name, ast.Attribute)):
        return None
    return places[0], ast.unparse(names[0])
