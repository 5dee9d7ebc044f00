"""Losses that took other shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.nn import functional

from ..patching import replace


def install() -> None:
    """`BCELoss` of `[N, 1]` against `[N]`: element by element, as up to torch 1.6.

    It warned ("Using a target size ... that is different to the input size ... is deprecated")
    and went on where the number of elements was the same; with another number, and with a
    weight of a third shape, it is left failing.
    """
    replace(functional, "binary_cross_entropy", _same_elements)


def _same_elements(original: Any) -> Callable[..., Any]:
    def binary_cross_entropy(input: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        if input.shape != target.shape and input.numel() == target.numel():
            target = target.reshape(input.shape)
        return original(input, target, *args, **kwargs)

    return binary_cross_entropy
