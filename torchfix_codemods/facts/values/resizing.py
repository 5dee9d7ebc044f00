"""Methods that give a tensor another shape in place, and what they leave of its dimensions."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.values.lattice import Nothing, Number, Sequence, Tensor, Value, ndim_of

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def reshaping(names: Names, attribute: ast.Attribute) -> ast.Attribute | None:
    """``x.unsqueeze_``, ``x.data.unsqueeze_``, or ``x.data`` of ``x.data = …``."""
    found: ast.AST | None = attribute
    if attribute.attr == "data":
        if isinstance(attribute.ctx, ast.Store):
            return attribute
        found = names.parents.get(attribute)
    if not isinstance(found, ast.Attribute) or not torch_effects.reshapes_in_place(found.attr):
        return None
    return None if torch_table.keeps_ndim(found.attr) else found


def reshaped(inference: Inference, tensor: Tensor, method: ast.Attribute) -> Tensor:
    """What stays certain of a tensor that ``x.resize_(n, m)`` or ``x.data = …`` is done to."""
    stored, ndim = _stored(inference, method), tensor.ndim
    if isinstance(stored, Nothing):
        # What it is follows from what the tensor is.
        return tensor
    if isinstance(stored, Tensor):
        is_kept = stored.ndim == ndim
    else:
        is_kept = ndim is not None and _keeps_dimensions(inference, method, ndim)
    single = isinstance(stored, Tensor) and stored.single and tensor.single
    return replace(tensor, ndim=ndim if is_kept else None, single=single)


def _stored(inference: Inference, data: ast.Attribute) -> Value | None:
    """What ``x.data = …`` stores; None for methods, and where something else assigns it."""
    statement = inference.names.parents.get(data)
    if not isinstance(statement, ast.Assign) or data not in statement.targets:
        return None
    return inference.value(statement.value)


def _keeps_dimensions(inference: Inference, method: ast.Attribute, ndim: int) -> bool:
    """Whether ``x.resize_(n, m)`` leaves ``x`` with as many dimensions as it had."""
    call = inference.names.parents.get(method)
    if not isinstance(call, ast.Call) or call.func is not method or call.keywords or not call.args:
        return False
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    given = call.args[0]
    if method.attr == "resize_as_":
        return ndim_of(inference.value(given)) == ndim
    if method.attr != "resize_":
        return False
    if len(call.args) > 1:
        return len(call.args) == ndim
    return _sizes(inference, given) == ndim


def _sizes(inference: Inference, given: ast.expr) -> int | None:
    """How many sizes ``n``, ``(n, m)`` or ``y.size()`` are."""
    method = given.func if isinstance(given, ast.Call) and not given.args else given
    if isinstance(method, ast.Attribute) and method.attr in ("size", "shape"):
        return ndim_of(inference.value(method.value))
    value = inference.value(given)
    if isinstance(value, Sequence):
        return None if value.items is None else len(value.items)
    return 1 if isinstance(value, Number) else None
