"""Masks that are stored by a mask: ``done[kept] = ended[kept]`` of bool and of bytes."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.layouts import whole_of
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.masks.questions.masks import holds_zeros_and_ones

_MASKS = ("bool", "uint8")


def stored_mask(
    facts: Facts, item: ast.Subscript
) -> tuple[ast.expr, Literal["append", "to bytes"]] | None:
    """What is stored in a mask by another one, and how it gets the dtype that is wanted there.

    All masks were of bytes until torch 1.1. Where one of them comes of a comparison, and the other
    of ``.byte()``, "Index put requires the source and destination dtypes match" today.
    """
    statement = facts.parent(item)
    if not isinstance(statement, ast.Assign) or statement.targets != [item]:
        return None
    if all(isinstance(index, (ast.Constant, ast.Slice)) for index in indices(item.slice)):
        # Written down, it is no mask.
        return None
    stored, into = statement.value, _mask_dtype(facts, item.value)
    given = None if into is None else _mask_dtype(facts, stored)
    if into is None or given in (None, into) or facts.era_of(item).needs((1, 2)):
        return None
    if not (_is_taken_by_mask(facts, item) and _has_dimensions(facts, stored)):
        return None
    if into == "uint8":
        return stored, "to bytes"
    return (stored, "append") if holds_zeros_and_ones(facts, whole_of(stored)) else None


def _mask_dtype(facts: Facts, node: ast.expr) -> str | None:
    value = facts.value(node)
    return value.dtype if isinstance(value, Tensor) and value.dtype in _MASKS else None


def _is_taken_by_mask(facts: Facts, item: ast.Subscript) -> bool:
    """Whether an index is certainly a mask; what one number or a slice names is converted."""
    return any(_mask_dtype(facts, index) is not None for index in indices(item.slice))


def _has_dimensions(facts: Facts, stored: ast.expr) -> bool:
    """Whether a tensor has certainly any dimensions; what has none is converted."""
    if isinstance(stored, ast.Subscript) and _is_taken_by_mask(facts, stored):
        return True
    value = facts.value(stored)
    return isinstance(value, Tensor) and bool(value.ndim)
