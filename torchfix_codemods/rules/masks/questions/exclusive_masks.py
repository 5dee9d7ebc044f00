"""Masks of which no two hold at one place, so that it does not matter whether their sum counts."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.masks.questions.mask_sums import METHODS

_BELOW = ("Lt", "LtE", "lt", "le")
_ABOVE = ("Gt", "GtE", "gt", "ge")
_EQUAL = ("Eq", "eq")

_Asked = tuple[str, ast.expr, ast.expr]


def exclude_each_other(facts: Facts, masks: Sequence[ast.expr]) -> bool:
    """Whether masks ask different things of one tensor: ``x == a`` and ``x == b``, ``x < a`` and
    ``x > b``."""
    asked = [_asked(facts, mask) for mask in masks]
    return all(
        one is not None and other is not None and _exclude(one, other)
        for one, other in itertools.combinations(asked, 2)
    )


def _asked(facts: Facts, mask: ast.expr) -> _Asked | None:
    """What a comparison asks, of what, and with what."""
    if isinstance(mask, ast.Name):
        made = facts.assigned(mask) or []
        return None if len(made) != 1 or isinstance(made[0], ast.Name) else _asked(facts, made[0])
    if isinstance(mask, ast.Compare) and len(mask.ops) == 1:
        return type(mask.ops[0]).__name__, mask.left, mask.comparators[0]
    if isinstance(mask, ast.Call) and isinstance(mask.func, ast.Attribute) and len(mask.args) == 1:
        if mask.func.attr in METHODS and not mask.keywords:
            return mask.func.attr, mask.func.value, mask.args[0]
    return None


def _exclude(one: _Asked, other: _Asked) -> bool:
    if not same_expression(one[1], other[1]):
        return False
    if one[0] in _EQUAL and other[0] in _EQUAL:
        return not same_expression(one[2], other[2])
    below, above = (one, other) if one[0] in _BELOW else (other, one)
    if below[0] not in _BELOW or above[0] not in _ABOVE:
        return False
    least, most = constant(above[2]), constant(below[2])
    if isinstance(least, (int, float)) and isinstance(most, (int, float)):
        is_open = below[0] in ("Lt", "lt") or above[0] in ("Gt", "gt")
        return most < least or (most == least and is_open)
    # Who asks for both ends of a range does not mean ends that overlap.
    return not same_expression(below[2], above[2])
