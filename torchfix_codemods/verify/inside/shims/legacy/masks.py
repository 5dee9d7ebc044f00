"""Masks, which were made of bytes before torch 1.2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..patching import replace
from .version import TORCH

TAKERS = ("masked_fill", "masked_fill_", "masked_scatter", "masked_scatter_", "masked_select")


def install(users: Callable[[], bool]) -> None:
    """Arithmetic on masks and functions that take a mask, as before torch 1.2.

    The 1.2.0 release notes ("Breaking changes": comparisons return `torch.bool`, `~` of a
    `torch.uint8` tensor is bitwise) say what was: `mask + mask` counts, `1 - mask` and
    `~byte_mask` turn a mask round, `mask1 - mask2` and `-mask` work on bytes. A comparison
    itself still gives `torch.bool` here: only what is computed with it is made of bytes.
    """
    if TORCH < (1, 2):
        return
    tensor = torch.Tensor
    replace(tensor, "__add__", lambda original: _counts(original, users))
    replace(tensor, "__iadd__", lambda original: _counts(original, users))
    for name in ("__sub__", "__isub__", "__rsub__", "__neg__"):
        replace(tensor, name, lambda original: _on_bytes(original, users))
    replace(tensor, "__invert__", lambda original: _turned(original, users))
    replace(tensor, "__setitem__", _set)
    for name in TAKERS:
        replace(tensor, name, _takes_bytes)
        replace(torch, name, _takes_bytes)


def _is(value: Any, dtype: torch.dtype) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype == dtype


def _bytes(value: Any) -> Any:
    return value.to(torch.uint8) if _is(value, torch.bool) else value


def _counts(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    in_place = original.__name__ == "__iadd__"

    def add(self: torch.Tensor, other: Any) -> Any:
        if self.dtype == torch.bool and (in_place or _is(other, torch.bool)) and users():
            return original(_bytes(self), _bytes(other))
        return original(self, other)

    return add


def _on_bytes(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def operate(self: torch.Tensor, *other: Any) -> Any:
        try:
            return original(self, *other)
        except (NotImplementedError, RuntimeError):
            if not any(_is(value, torch.bool) for value in (self, *other)) or not users():
                raise
        return original(_bytes(self), *map(_bytes, other))

    return operate


def _turned(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def invert(self: torch.Tensor) -> Any:
        if self.dtype == torch.uint8 and users() and bool((self <= 1).all()):
            return self ^ 1
        return original(self)

    return invert


def _set(original: Any) -> Callable[..., Any]:
    def setitem(self: torch.Tensor, index: Any, value: Any) -> None:
        if isinstance(index, tuple):
            index = tuple(_mask(part) for part in index)
        original(self, _mask(index), value)

    return setitem


def _mask(value: Any) -> Any:
    return value.to(torch.bool) if _is(value, torch.uint8) else value


def _takes_bytes(original: Any) -> Callable[..., Any]:
    def take(*args: Any, **kwargs: Any) -> Any:
        if "mask" in kwargs:
            kwargs["mask"] = _mask(kwargs["mask"])
        elif len(args) > 1:
            args = (args[0], _mask(args[1]), *args[2:])
        return original(*args, **kwargs)

    return take
