"""What numbers an array of numpy holds, and in how many dimensions, as the tensor made of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.libraries import numpy_functions
from torchfix_codemods.facts.values.lattice import Array, Tensor

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.scopes import Binding
    from torchfix_codemods.facts.values.inference import Inference

#: Names of numpy's dtypes that are the same on every machine, and torch's for them.
_NAMED = {
    **{name: name for name in "uint8 int8 int16 int32 int64 float16 float32 float64".split()},
    "bool": "bool",
    "bool_": "bool",
    **dict.fromkeys(("double", "float", "float_"), "float64"),
}

#: Python's own types that are the same on every machine.
_BUILTIN: Mapping[str | None, str] = {"bool": "bool", "float": "float64"}

_MAX_DEPTH = 4

_CALCULATING = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def dtype_of_array(inference: Inference, node: ast.expr, depth: int = 0) -> str | None:
    """The dtype of ``x.astype("uint8")`` and ``np.zeros(n, dtype=np.uint8)``; else None.

    What only moves numbers keeps it: ``x.astype("uint8").transpose(1, 2, 0)``.
    """
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
    name, moved = inference.names.name(node.func), array_moved(inference, node)
    if moved is not None and depth < _MAX_DEPTH:
        return dtype_of_array(inference, moved, depth + 1)
    if name is None:
        if node.func.attr == "numpy":
            return _of_tensor(inference, node.func.value)
        is_cast = node.func.attr == "astype"
        return _named(inference, argument(node, 0, "dtype")) if is_cast else None
    if name.startswith("numpy.") and (made := _NAMED.get(name.removeprefix("numpy."))):
        return made
    place = numpy_functions.place_of_dtype(name)
    if place is None or is_opaque(node):
        return None
    dtype = argument(node, place, "dtype")
    return numpy_functions.default_dtype(name) if dtype is None else _named(inference, dtype)


def ndim_of_array(inference: Inference, node: ast.expr) -> int | None:
    """The number of dimensions of ``np.arange(n)`` and ``np.eye(n).astype("float32")``.

    No name is followed: an array can get another shape in place.

    Args:
        inference: the values of its module.
        node: any expression.

    Returns:
        None where it is not certain.
    """
    while isinstance(node, ast.Call) and not is_opaque(node):
        name, method = inference.names.name(node.func), node.func
        array = node.args[0] if node.args else None
        if name is None and isinstance(method, ast.Attribute):
            if not isinstance(inference.value(method.value), Array):
                return None
            name, array = f"numpy.ndarray.{method.attr}", method.value
        rank = numpy_functions.ndim_given(name or "")
        if rank.isdigit():
            return int(rank)
        if rank != "=input" or array is None:
            return None
        node = array
    return None


def is_array_of_floats(inference: Inference, node: ast.expr, depth: int = 0) -> bool:
    """Whether an array certainly holds floating point numbers: ``x / 255.0``, ``np.zeros(n)``.

    Args:
        inference: the values of its module.
        node: what is an array, if nothing raises.
        depth: how many names and operations were followed.
    """
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        bindings = inference.flow.reaching(node)
        return bool(bindings) and all(_binds_floats(inference, b, depth + 1) for b in bindings)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.BinOp):
        is_either = isinstance(node.op, _CALCULATING)
        sides = (node.left, node.right) if is_either else ()
        return any(is_array_of_floats(inference, side, depth + 1) for side in sides)
    if isinstance(node, ast.UnaryOp):
        return is_array_of_floats(inference, node.operand, depth + 1)
    if isinstance(node, ast.Call) and not any(k.arg in ("dtype", None) for k in node.keywords):
        if numpy_functions.gives_floats(inference.names.name(node.func) or ""):
            return True
        moved = array_moved(inference, node)
        if moved is not None and is_array_of_floats(inference, moved, depth + 1):
            return True
    return (dtype_of_array(inference, node) or "").startswith("float")


def _binds_floats(inference: Inference, binding: Binding, depth: int) -> bool:
    """Whether a name holds floats by a binding; in place, an array keeps what it holds."""
    statement = binding.node
    if depth > _MAX_DEPTH:
        return False
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        if isinstance(statement.op, _CALCULATING) and isinstance(statement.value, ast.Constant):
            if isinstance(statement.value.value, float):
                return True
        before = {*inference.flow.reaching_before(statement, statement.target.id)} - {binding}
        return bool(before) and all(_binds_floats(inference, b, depth + 1) for b in before)
    value = binding.value if binding.kind == "assign" and not binding.path else None
    return value is not None and is_array_of_floats(inference, value, depth)


def array_moved(inference: Inference, call: ast.Call) -> ast.expr | None:
    """The array whose numbers a call only moves: ``x`` of ``x.transpose(1, 2, 0)``."""
    name = inference.names.name(call.func)
    if name is not None:
        return call.args[0] if numpy_functions.keeps_dtype(name) and call.args else None
    if isinstance(call.func, ast.Attribute):
        if numpy_functions.keeps_dtype(f"numpy.{call.func.attr}"):
            return call.func.value
    return None


def _of_tensor(inference: Inference, node: ast.expr) -> str | None:
    """The dtype of a tensor that is seen as an array; a mask was of bytes before torch 1.2."""
    value = inference.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    return _NAMED.get(dtype) if dtype is not None and dtype != "bool" else None


def _named(inference: Inference, dtype: ast.expr | None) -> str | None:
    """``np.uint8``, ``"uint8"`` and ``bool``."""
    if dtype is None:
        return None
    if isinstance(dtype, ast.Constant):
        return _NAMED.get(dtype.value) if isinstance(dtype.value, str) else None
    if (own := inference.names.builtin(dtype)) in _BUILTIN:
        return _BUILTIN[own]
    module, _, name = (inference.names.name(dtype) or "").rpartition(".")
    return _NAMED.get(name) if module == "numpy" else None
