"""`/` of integers, which truncated up to torch 1.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..patching import replace
from .version import TORCH


def install(users: Callable[[], bool]) -> None:
    """`/`, `/=`, `.div` and `torch.div` of integers truncate, as up to torch 1.4.

    The 1.5.0 release notes deprecate integer division by `/`, 1.7 made it true division; `//`
    truncated until 1.12 ("`torch.floor_divide` ... now floors", 1.13.0 release notes).
    """
    if TORCH < (1, 8):
        return
    tensor = torch.Tensor
    truncated = torch.div

    def of(original: Any, swapped: bool) -> Callable[..., Any]:
        def divide(self: Any, other: Any, **kwargs: Any) -> Any:
            if kwargs or not (_is_integer(self) and _is_integer(other) and users()):
                return original(self, other, **kwargs)
            left, right = (other, self) if swapped else (self, other)
            return truncated(left, right, rounding_mode="trunc")

        return divide

    def in_place(original: Any) -> Callable[..., Any]:
        def divide(self: Any, other: Any, **kwargs: Any) -> Any:
            if kwargs or not (_is_integer(self) and _is_integer(other) and users()):
                return original(self, other, **kwargs)
            return self.copy_(truncated(self, other, rounding_mode="trunc"))

        return divide

    for name in ("__truediv__", "__floordiv__", "div", "floor_divide"):
        replace(tensor, name, lambda original: of(original, swapped=False))
    for name in ("__rtruediv__", "__rfloordiv__"):
        replace(tensor, name, lambda original: of(original, swapped=True))
    for name in ("__itruediv__", "__ifloordiv__", "div_", "floor_divide_"):
        replace(tensor, name, in_place)
    for name in ("div", "floor_divide"):
        replace(torch, name, lambda original: of(original, swapped=False))


def _is_integer(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    return isinstance(value, int) and not isinstance(value, bool)
