"""Inputs of functions as plain data: tensors, numbers and text in lists and dicts.

``torch.load`` reads such a file without running anything that is in it. What is no plain data is
told by how it is made: a layer of torch by its name and arguments, a module of the user's by the
arguments of its class and what its parameters are, anything else by an expression that the file
which defines the function can evaluate.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict

import torch

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

Packed = Dict[str, Any]

#: Deeper than this, nothing is looked for in lists and dicts.
_DEEPEST = 8


class CannotPackError(Exception):
    """There is no way to write a value down; the message says which it is."""


def pack(value: Any, of_module: Callable[[Any], Packed | None], depth: int = 0) -> Packed:
    """A value as plain data.

    Args:
        value: the value.
        of_module: how an object of the user's is made; None where nobody knows.
        depth: how many containers are around it.

    Raises:
        CannotPackError: it cannot be written down.
    """
    if isinstance(value, torch.Tensor):
        if value.is_sparse or getattr(value, "is_quantized", False):
            raise CannotPackError("a tensor that is not dense")
        plain = value.detach().cpu().clone()
        return {"k": "tensor", "v": plain, "g": bool(value.requires_grad)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"k": "plain", "v": value}
    if isinstance(value, (torch.dtype, torch.device)):
        return {"k": "expression", "v": _spelled(value)}
    if numpy is not None and isinstance(value, numpy.ndarray) and value.dtype.kind in "fiub":
        return {"k": "array", "v": torch.from_numpy(value.copy())}
    made = of_module(value)
    if made is not None:
        return made
    if isinstance(value, types.SimpleNamespace) or type(value).__name__ == "Namespace":
        inner = {str(n): pack(v, of_module, depth + 1) for n, v in vars(value).items()}
        return {"k": "namespace", "i": inner}
    if depth > _DEEPEST:
        raise CannotPackError("lists in lists without an end")
    if type(value) in (list, tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {"k": kind, "i": [pack(item, of_module, depth + 1) for item in value]}
    if isinstance(value, torch.Size):
        return {"k": "size", "i": list(value)}
    if type(value) is dict and all(isinstance(key, (str, int)) for key in value):
        return {
            "k": "dict",
            "i": [[key, pack(item, of_module, depth + 1)] for key, item in value.items()],
        }
    raise CannotPackError(f"a {type(value).__name__}")


def unpack(packed: Packed, space: dict[str, Any], made: Callable[[Packed], Any]) -> Any:
    """The value that was written down.

    Args:
        packed: the value as plain data.
        space: the names of the file that it is an input for.
        made: makes an object of the user's.

    Raises:
        Exception: whatever an expression raises.
    """
    kind = packed["k"]
    if kind == "tensor":
        value = packed["v"].clone()
        return value.requires_grad_() if packed.get("g") else value
    if kind == "plain":
        return packed["v"]
    if kind == "array":
        return packed["v"].numpy().copy()
    if kind == "expression":
        return eval(packed["v"], {"torch": torch, **space})
    if kind == "layer":
        name, args = packed["v"]
        return getattr(torch.nn, name)(*args)
    if kind == "size":
        return torch.Size(packed["i"])
    if kind == "namespace":
        items = {name: unpack(item, space, made) for name, item in packed["i"].items()}
        return types.SimpleNamespace(**items)
    if kind == "dict":
        return {key: unpack(item, space, made) for key, item in packed["i"]}
    if kind in ("list", "tuple"):
        values = [unpack(item, space, made) for item in packed["i"]]
        return values if kind == "list" else tuple(values)
    return made(packed)


def shown(packed: Packed) -> str:
    """An input in a few words."""
    kind = packed["k"]
    if kind in ("tensor", "array"):
        shape = "x".join(map(str, packed["v"].shape)) or "0-dim"
        return f"{str(packed['v'].dtype).partition('.')[2]} {shape}"
    if kind in ("plain", "expression"):
        return repr(packed["v"])[:40] if kind == "plain" else str(packed["v"])[:40]
    if kind == "layer":
        return f"{packed['v'][0]}({', '.join(map(str, packed['v'][1]))})"
    if kind == "object":
        return f"{packed['name']}(…)"
    if kind == "torch":
        return str(packed["v"])[:40]
    return f"a {kind}"


def _spelled(value: Any) -> str:
    return str(value) if isinstance(value, torch.dtype) else f"torch.device({str(value)!r})"
