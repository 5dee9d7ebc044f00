"""Values as short descriptions: enough to compare two runs, little enough to write at each event.

A tensor is told by the CRC of its bits, and by its norm and two projections for a comparison
within a tolerance; a container by its items. Nothing here consumes random numbers or leaves a
trace in an autograd graph.
"""

from __future__ import annotations

import math
import zlib
from collections import OrderedDict
from typing import Any, Callable, Dict, Sequence

import torch

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

Digest = Dict[str, Any]

#: The tensors that were described, where somebody wants them as they are.
kept: list[torch.Tensor] | None = None

#: Tensors of so few elements are written out.
SMALL = 8
_MAX_ITEMS = 1000
_MAX_DEPTH = 12
_OBJECT_DEPTH = 3
_MAX_TEXT = 500


def digest(value: Any, depth: int = 0) -> Digest:
    """Describe a value.

    Args:
        value: anything; tensors, arrays, numbers and containers of them are read, modules and
            optimizers by their state, other objects by their attributes.
        depth: how many containers are around it.
    """
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if value is None or isinstance(value, (bool, int, float)):
        return {"k": "number", "v": _number(value)}
    if isinstance(value, complex):
        return {"k": "text", "v": repr(value)}
    if isinstance(value, (str, bytes)):
        return _text(value)
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return array(value)
    if depth > _MAX_DEPTH:
        return {"k": "object", "t": _type_name(value)}
    if isinstance(value, torch.nn.Module):
        return state_of_module(value, depth)
    if isinstance(value, torch.optim.Optimizer):
        state = digest(value.state_dict(), depth + 1)
        return {"k": "optimizer", "t": _type_name(value), "i": state}
    if isinstance(value, dict):
        return _mapping(value, depth)
    if isinstance(value, (list, tuple)):
        return _sequence(list(value), depth)
    if isinstance(value, (set, frozenset)):
        return _sequence(sorted(value, key=repr), depth)
    return _object(value, depth)


def state_of_module(module: torch.nn.Module, depth: int = 0) -> Digest:
    """A module as what its ``state_dict`` holds."""
    state = digest(OrderedDict(module.state_dict()), depth + 1)
    return {"k": "module", "t": _type_name(module), "i": state}


def tensor(value: torch.Tensor) -> Digest:
    """Describe a tensor: dtype, shape, CRC of the bits, norm, projections, first elements."""
    result: Digest = {"k": "tensor", "d": str(value.dtype)[6:], "s": list(value.shape)}
    if value.requires_grad:
        result["g"] = 1
    try:
        with torch.no_grad():
            plain = _plain(value)
            if kept is not None:
                kept.append(plain.clone())
            if numpy is None:
                result.update(_numbers_without_numpy(plain))
            else:
                result.update(_numbers(plain.numpy()))
    except Exception as error:
        result["e"] = f"{type(error).__name__}: {str(error)[:100]}"
    return result


def array(value: Any) -> Digest:
    """Describe a numpy array or scalar, as :func:`tensor` does."""
    value = numpy.asarray(value)
    result: Digest = {"k": "array", "d": str(value.dtype), "s": list(value.shape)}
    if value.dtype.kind in "biufc":
        result.update(_numbers(value))
    else:
        result["c"] = zlib.crc32(repr(value.tolist()).encode("utf-8", "replace"))
    return result


def bits(value: torch.Tensor) -> int:
    """The CRC of a tensor's bits: ``hash_tensor`` of torch is blind to order."""
    with torch.no_grad():
        plain = _plain(value)
        if numpy is None:
            return zlib.crc32(repr(plain.tolist()).encode())
        return zlib.crc32(numpy.ascontiguousarray(plain.numpy()).data)


def _plain(value: torch.Tensor) -> torch.Tensor:
    """The same numbers on the CPU, dense and in a dtype that numpy has."""
    value = value.detach()
    if value.is_sparse:
        value = value.to_dense()
    if getattr(value, "is_quantized", False):
        value = value.dequantize()
    if value.device.type != "cpu":
        value = value.cpu()
    for name in ("resolve_conj", "resolve_neg"):
        resolve: Callable[[], torch.Tensor] | None = getattr(value, name, None)
        if resolve is not None:
            value = resolve()
    if str(value.dtype) in ("torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2"):
        value = value.float()
    return value


def _numbers(values: Any) -> Digest:
    values = numpy.ascontiguousarray(values)
    result: Digest = {"c": zlib.crc32(values.data) if values.size else 0}
    flat = values.reshape(-1)
    result["v"] = [_number(v) for v in flat[:SMALL].tolist()]
    if values.dtype.kind not in "fc":
        return result
    if values.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if flat.dtype != numpy.float32 and flat.dtype != numpy.float64:
        flat = flat.astype(numpy.float32)
    if flat.size <= SMALL:
        return result
    square = float(numpy.dot(flat, flat))
    if not math.isfinite(square):
        finite = numpy.isfinite(flat)
        flat = numpy.where(finite, flat, 0).astype(numpy.float64)
        result["x"] = int(flat.size - finite.sum())
        square = float(numpy.dot(flat, flat))
    result["n"] = math.sqrt(square)
    result["p"] = [float(numpy.dot(flat, each[: flat.size])) for each in _weights(flat.size)]
    return result


def _numbers_without_numpy(value: torch.Tensor) -> Digest:
    flat = value.reshape(-1).tolist()
    return {"c": zlib.crc32(repr(flat).encode()), "v": [_number(v) for v in flat[:SMALL]]}


_WEIGHTS: list[Any] = []


def _weights(size: int) -> Sequence[Any]:
    """Two fixed vectors of numbers between -1 and 1, no two of a vector the same: what differs
    somewhere, or stands elsewhere, differs along one of them.
    """
    if not _WEIGHTS or _WEIGHTS[0].size < size:
        index = numpy.arange(1, 2 * size + 1, dtype=numpy.uint64)
        _WEIGHTS[:] = [
            ((index * numpy.uint64(factor) & numpy.uint64(0xFFFFFFFF)) / 2.0**31 - 1).astype(
                numpy.float32
            )
            for factor in (2654435761, 2246822519)
        ]
    return _WEIGHTS


def _number(value: Any) -> Any:
    """A number as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, complex):
        return repr(value)
    return value


def _text(value: Any) -> Digest:
    if isinstance(value, bytes):
        return {"k": "text", "c": zlib.crc32(value), "v": repr(value[:40])}
    if len(value) <= _MAX_TEXT:
        return {"k": "text", "v": value}
    return {"k": "text", "c": zlib.crc32(value.encode("utf-8", "replace")), "v": value[:40]}


def _sequence(values: list[Any], depth: int) -> Digest:
    result: Digest = {
        "k": "list",
        "n": len(values),
        "i": [digest(item, depth + 1) for item in values[:_MAX_ITEMS]],
    }
    if len(values) > _MAX_ITEMS:
        result["r"] = _rest([digest(item, depth + 1) for item in values[_MAX_ITEMS:]])
    return result


def _mapping(value: dict[Any, Any], depth: int) -> Digest:
    if set(value) == {"state", "param_groups"}:
        value = _renumbered(value)
    items = sorted(((_key(key), item) for key, item in value.items()), key=lambda pair: pair[0])
    described = [[key, digest(item, depth + 1)] for key, item in items[:_MAX_ITEMS]]
    result: Digest = {"k": "dict", "n": len(items), "i": described}
    if len(items) > _MAX_ITEMS:
        rest = items[_MAX_ITEMS:]
        result["r"] = _rest([[key, digest(item, depth + 1)] for key, item in rest])
    return result


def _rest(described: list[Any]) -> Digest:
    """What does not fit in, as one: all that must be equal, and all that may be a little off."""
    numbers: list[float] = []
    told = zlib.crc32(repr([_without_numbers(item, numbers) for item in described]).encode())
    if numpy is None:
        return {"c": zlib.crc32(repr((told, numbers)).encode())}
    # Beside large numbers, small ones count as much; and they are of any precision.
    sizes = numpy.arcsinh(numpy.array(numbers, numpy.float64) * 1e6)
    return {"c": told, "a": {**array(sizes), "d": "float"}}


def _without_numbers(value: Any, numbers: list[float]) -> Any:
    """A description without what may differ within the tolerance, which is collected."""
    if isinstance(value, float):
        numbers.append(value)
        return "#"
    if isinstance(value, dict):
        # Of floating point numbers, the bits may be others.
        has_others = value.get("k") in ("tensor", "array") and value["d"][:1] in "fbc"
        return [
            [key, _without_numbers(item, numbers)]
            for key, item in value.items()
            if not (has_others and key == "c" and value["d"] != "bool")
        ]
    if isinstance(value, list):
        return [_without_numbers(item, numbers) for item in value]
    return value


def _renumbered(state: dict[Any, Any]) -> dict[Any, Any]:
    """The ``state_dict`` of an optimizer: old versions of torch name parameters by ``id``."""
    try:
        given = [key for group in state["param_groups"] for key in group["params"]]
        numbers = {key: number for number, key in enumerate(given)}
        groups = [
            {**group, "params": [numbers[key] for key in group["params"]]}
            for group in state["param_groups"]
        ]
        inner = {numbers.get(key, key): item for key, item in state["state"].items()}
    except (TypeError, KeyError):
        return state
    return {"state": inner, "param_groups": groups}


def _key(key: Any) -> str:
    if isinstance(key, torch.Tensor):
        return str(key.tolist())
    if isinstance(key, (str, int, float, bool, tuple)):
        return str(key)
    return _type_name(key)


def _object(value: Any, depth: int) -> Digest:
    result: Digest = {"k": "object", "t": _type_name(value)}
    if isinstance(value, (torch.device, torch.dtype, torch.Size)):
        return {"k": "text", "v": str(value)}
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and depth < _OBJECT_DEPTH and not isinstance(value, type):
        if not callable(value):
            result["i"] = _mapping(attributes, depth + 1)
    return result


def _type_name(value: Any) -> str:
    cls = type(value)
    return f"{cls.__module__}.{cls.__qualname__}"
