"""Vectors that are stored by a mask into a column: ``values[mask] = q.max(1)[0]``."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.evaluation.extents import sizes_of
from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.libraries.kept_dimensions import gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.values.lattice import Tensor, Unknown

_MASKS = ("bool", "uint8")


def stored_as_row(facts: Facts, node: ast.Assign) -> Literal["certainly", "maybe"] | None:
    """Whether a vector is stored into a tensor of shape (n, 1), by a mask of one dimension.

    What the mask takes of that has the shape (k, 1), and no vector of k numbers fits it.

    Args:
        facts: the facts of the module.
        node: ``values[mask] = …``.

    Returns:
        "maybe" where the number of dimensions of a maximum is not known.
    """
    target = node.targets[0]
    mask = facts.value(target.slice) if isinstance(target, ast.Subscript) else None
    if not isinstance(target, ast.Subscript) or not isinstance(mask, Tensor):
        return None
    if mask.ndim != 1 or mask.dtype not in _MASKS:
        return None
    column = facts.value(target.value)
    sizes = sizes_of(facts.inference, target.value)
    if not isinstance(column, Tensor) or sizes is None or len(sizes) != 2 or sizes[1] != 1:
        return None
    stored = facts.value(node.value)
    if isinstance(stored, Tensor) and stored.ndim is not None:
        return "certainly" if stored.ndim == 1 and not stored.single else None
    return _ndim_of_extreme(facts, node.value)


def _ndim_of_extreme(facts: Facts, node: ast.expr) -> Literal["certainly", "maybe"] | None:
    """Whether ``net(x).max(1)[0]`` is a vector, also of a net that all calls give a function."""
    if not isinstance(node, ast.Subscript) or whole_number(node.slice) != 0:
        return None
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if not gives_places(call.func.attr) or is_opaque(call) or facts.name(call.func):
        return None
    if whole_number(argument(call, 0, "dim")) is None or argument(call, 1, "keepdim") is not None:
        return None
    of = call.func.value
    value = facts.value(of)
    if isinstance(value, Unknown) and isinstance(of, ast.Call):
        value = facts.inference.called(value_by_all_calls(of.func, facts), of)
    ndim = value.ndim if isinstance(value, Tensor) else None
    if ndim is not None:
        return "certainly" if ndim == 2 else None
    return "maybe"
