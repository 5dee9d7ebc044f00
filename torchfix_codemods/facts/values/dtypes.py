"""Dtypes: their names, the default one, and how torch promotes them today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torchfix_codemods.facts.values.lattice import Number, Tensor, Value

_SHORT = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}
_FLOATS = ("float16", "float32", "float64")
_SIGNED = ("int8", "int16", "int32", "int64")
_KNOWN = frozenset({*_FLOATS, *_SIGNED, "uint8", "bool", "bfloat16"})

#: The dtype of ``torch.zeros(2)``: float32, unless some file of the program sets another one.
DEFAULT = "float"


def named(name: str | None) -> str | None:
    """The dtype that a qualified name stands for: ``torch.long`` is int64."""
    if name is None or not name.startswith("torch."):
        return None
    bare = name[len("torch.") :]
    bare = _SHORT.get(bare, bare)
    return bare if bare in _KNOWN else None


def is_floating(dtype: str) -> bool:
    """Whether a dtype is one of real numbers."""
    return dtype in (DEFAULT, *_FLOATS, "bfloat16")


def floating(dtype: str | None) -> str | None:
    """The dtype of what a function of real numbers gives: ``exp`` of integers is floating."""
    return dtype if dtype is None or is_floating(dtype) else DEFAULT


def unless_converted(value: Value) -> Value:
    """A tensor that ``net.half()`` or ``net.double()`` may convert, as it does real numbers."""
    if not isinstance(value, Tensor) or value.dtype is None or not is_floating(value.dtype):
        return value
    return replace(value, dtype=None)


def summed(dtype: str | None) -> str | None:
    """The dtype of a sum: integers of all kinds add up to int64."""
    return dtype if dtype is None or is_floating(dtype) else "int64"


def promoted(operands: Sequence[Value]) -> str | None:
    """The dtype of an element-wise operation; numbers weigh less than tensors of their kind."""
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    numbers = [operand for operand in operands if isinstance(operand, Number)]
    if not tensors or len(tensors) + len(numbers) < len(operands):
        return None
    dtypes = {tensor.dtype for tensor in tensors}
    first = tensors[0].dtype
    if None in dtypes or first is None:
        return None
    result = first
    if len(dtypes) > 1:
        ranks = {tensor.ndim for tensor in tensors}
        if None in ranks or (0 in ranks and ranks != {0}):
            return None
        for tensor in tensors[1:]:
            together = _of_two(result, tensor.dtype or "")
            if together is None:
                return None
            result = together
    for number in numbers:
        if number.kind is None and not is_floating(result):
            return None
        if number.kind == "float" and not is_floating(result):
            return DEFAULT
        if number.kind == "int" and result == "bool":
            result = "int64"
    return result


def joined(parts: Sequence[Value]) -> str | None:
    """The dtype of what ``cat`` and ``stack`` make: tensors of as many dimensions count alike."""
    tensors = [replace(part, ndim=1) for part in parts if isinstance(part, Tensor)]
    return promoted(tensors) if len(tensors) == len(parts) else None


def _of_two(left: str, right: str) -> str | None:
    if left == right or right == "bool":
        return left
    if left == "bool":
        return right
    if is_floating(left) or is_floating(right):
        floats = [dtype for dtype in (left, right) if is_floating(dtype)]
        if len(floats) == 1:
            return floats[0]
        if DEFAULT in floats:
            other = floats[1 - floats.index(DEFAULT)]
            return {"float64": "float64", "float16": DEFAULT}.get(other)
        return max(floats, key=_FLOATS.index) if "bfloat16" not in floats else None
    if "uint8" in (left, right):
        other = right if left == "uint8" else left
        return "int16" if other == "int8" else other
    return max(left, right, key=_SIGNED.index)
