"""What numbers an array of numpy holds, which are those of the tensor that is made of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.libraries import numpy_functions

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: Names of numpy's dtypes that are the same on every machine, and torch's for them.
_NAMED = {
    **{name: name for name in "uint8 int8 int16 int32 int64 float16 float32 float64".split()},
    "bool": "bool",
    "bool_": "bool",
    "double": "float64",
}

_MAX_DEPTH = 4


def dtype_of_array(inference: Inference, node: ast.expr, depth: int = 0) -> str | None:
    """The dtype of ``x.astype("uint8")`` and ``np.zeros(n, dtype=np.uint8)``; else None."""
    if isinstance(node, ast.Name) and depth < _MAX_DEPTH:
        bindings = inference.flow.reaching(node)
        values = [b.value if b.kind == "assign" and not b.path else None for b in bindings]
        known = {
            None if value is None else dtype_of_array(inference, value, depth + 1)
            for value in values
        }
        return known.pop() if len(known) == 1 else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    name = inference.names.name(node.func)
    if name is None:
        is_cast = node.func.attr == "astype"
        return _named(inference, argument(node, 0, "dtype")) if is_cast else None
    place = numpy_functions.place_of_dtype(name)
    return None if place is None else _named(inference, argument(node, place, "dtype"))


def _named(inference: Inference, dtype: ast.expr | None) -> str | None:
    """``np.uint8``, ``"uint8"`` and ``bool``."""
    if dtype is None:
        return None
    if isinstance(dtype, ast.Constant):
        return _NAMED.get(dtype.value) if isinstance(dtype.value, str) else None
    if inference.names.builtin(dtype) == "bool":
        return "bool"
    module, _, name = (inference.names.name(dtype) or "").rpartition(".")
    return _NAMED.get(name) if module == "numpy" else None
