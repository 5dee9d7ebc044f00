"""Tensors of one value, which had one dimension before torch 0.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..patching import replace


def install(users: Callable[[], bool]) -> None:
    """Indexing, joining and sizes by a tensor without dimensions, as before torch 0.4.

    "PyTorch 0.4.0 Migration Guide", "Support for 0-dimensional (scalar) Tensors": `loss[0]` and
    `loss.data[0]` gave the value, `.numpy()[0]` too, `torch.cat` joined losses, `backward` took
    a gradient of one value, and what was an int (`labels.max()`) could be a size.
    """
    tensor = torch.Tensor
    replace(tensor, "__getitem__", lambda original: _getitem(original, users))
    replace(tensor, "__setitem__", lambda original: _setitem(original, users))
    replace(tensor, "numpy", lambda original: _numpy(original, users))
    replace(tensor, "view", lambda original: _view(original, users))
    replace(torch, "cat", lambda original: _cat(original, users))
    replace(tensor, "dot", lambda original: _dot(original, users))
    replace(torch, "dot", lambda original: _dot(original, users))
    _sizes(users)


def _first(index: Any) -> bool:
    return isinstance(index, int) and not isinstance(index, bool) and index in (0, -1)


def _getitem(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def getitem(self: torch.Tensor, index: Any) -> Any:
        try:
            return original(self, index)
        except IndexError:
            if not (_first(index) and self.dim() == 0 and users()):
                raise
        # A Variable stayed in the graph, a tensor's element was a Python number.
        return original(self, ()) if self.requires_grad else self.item()

    return getitem


def _setitem(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def setitem(self: torch.Tensor, index: Any, value: Any) -> None:
        try:
            original(self, index, value)
        except IndexError:
            if not (_first(index) and self.dim() == 0 and users()):
                raise
            original(self, (), value)

    return setitem


def _numpy(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    """`loss.data.numpy()[0]` gives the value; everything else of the array is today's."""
    try:
        import numpy
    except ImportError:
        return lambda self, *args, **kwargs: original(self, *args, **kwargs)

    class OneValue(numpy.ndarray):
        """The array of a tensor without dimensions, which knows its element 0."""

        def __getitem__(self, index: Any) -> Any:
            return super().__getitem__(() if self.ndim == 0 and _first(index) else index)

        def __array_wrap__(self, array: Any, *context: Any) -> Any:
            plain = numpy.asarray(array)
            return plain if plain.ndim else plain[()]

    def to_numpy(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        array = original(self, *args, **kwargs)
        return array.view(OneValue) if array.ndim == 0 and users() else array

    return to_numpy


def _view(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    """Results of elementwise operations were contiguous up to torch 1.4 (1.5 release notes)."""

    def view(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except RuntimeError as error:
            if "view size is not compatible" not in str(error) or not users():
                raise
        return original(self.contiguous(), *args, **kwargs)

    return view


def _cat(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def cat(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(tensors, *args, **kwargs)
        except RuntimeError as error:
            if "zero-dimensional" not in str(error) or not users():
                raise
        return original([t.view(1) if t.dim() == 0 else t for t in tensors], *args, **kwargs)

    return cat


def _dot(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    """`dot` took tensors of any shape with as many elements up to torch 0.3."""

    def dot(self: torch.Tensor, other: torch.Tensor, **kwargs: Any) -> Any:
        try:
            return original(self, other, **kwargs)
        except RuntimeError:
            if (self.dim(), other.dim()) == (1, 1) or self.numel() != other.numel() or not users():
                raise
        return original(self.contiguous().view(-1), other.contiguous().view(-1), **kwargs)

    return dot


def _sizes(users: Callable[[], bool]) -> None:
    """`torch.Tensor(labels.max() + 1)` made a tensor of that size, now the tensor itself."""
    original = torch.Tensor.__new__

    # Nothing but stars: torch.compile compares signatures, and those are equal to any.
    def new(*args: Any, **kwargs: Any) -> Any:
        size = args[1] if len(args) == 2 and args[0] is torch.Tensor else None
        if isinstance(size, torch.Tensor) and size.dim() == 0 and _is_integer(size) and users():
            args = (args[0], int(size.item()))
        return original(*args, **kwargs)

    torch.Tensor.__new__ = staticmethod(new)  # type: ignore[method-assign]


def _is_integer(tensor: torch.Tensor) -> bool:
    return tensor.dtype in (torch.int16, torch.int32, torch.int64)
