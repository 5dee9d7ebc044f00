"""`Variable`, `volatile` and `backward` as they were before torch 0.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..patching import replace
from .version import TORCH


def install() -> None:
    """Give back what "PyTorch 0.4.0 Migration Guide" took away from `Variable`.

    - `type(x) == Variable` is true of a tensor ("`type()` ... no longer reflects").
    - `Variable(x, volatile=True)` and `x.volatile = True`: whatever is computed with it needs no
      gradient ("the `volatile` flag is now deprecated"). Up to torch 1.6, which has no
      `__torch_function__` of tensor classes, it only warns as torch does.
    - `backward(retain_variables=True)` (removed in 0.4) and a gradient of shape `[1]` for a
      loss without dimensions (up to 1.2).
    """
    _variable()
    replace(torch.Tensor, "backward", _backward)
    replace(torch.autograd, "backward", _backward_of_all)
    replace(torch.autograd, "grad", _retain)
    if TORCH >= (1, 7):
        volatile: Any = property(_is_volatile, _set_volatile)
        torch.Tensor.volatile = volatile  # type: ignore[attr-defined]


def _variable() -> None:
    meta: Any = type(torch.autograd.Variable)
    variable = torch.autograd.Variable
    names = (torch.Tensor, VolatileVariable)

    def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if cls is not variable or TORCH < (1, 7):
            return type.__call__(cls, *args, **kwargs)
        volatile = kwargs.pop("volatile", len(args) > 2 and args[2])
        made = type.__call__(cls, *args[:2], **kwargs)
        return made.as_subclass(VolatileVariable) if volatile else made

    def equal(cls: Any, other: Any) -> bool:
        return cls is other or (cls is variable and other in names)

    meta.__call__ = call
    meta.__eq__ = equal
    meta.__ne__ = lambda cls, other: not equal(cls, other)
    meta.__hash__ = lambda cls: hash(torch.Tensor) if cls is variable else type.__hash__(cls)


class VolatileVariable(torch.Tensor):
    """A tensor whose every use runs without gradients and gives such a tensor again."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with _plain_functions(), torch.no_grad():
            if getattr(func, "__name__", "") in _AS_A_TENSOR:
                return func(args[0].as_subclass(torch.Tensor), *args[1:], **(kwargs or {}))
            result = func(*args, **(kwargs or {}))
            if func == _DATA:
                return result.as_subclass(torch.Tensor)
        if any(result is arg for arg in args):
            return result
        return _volatile(result)


_AS_A_TENSOR = ("__repr__", "__reduce_ex__", "__deepcopy__", "backward")
_DATA = getattr(torch.Tensor.data, "__get__", None)
_plain_functions: Any = getattr(
    torch._C, "DisableTorchFunctionSubclass", getattr(torch._C, "DisableTorchFunction", None)
)


def _volatile(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return result.detach().as_subclass(VolatileVariable)
    if isinstance(result, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in result):
        parts = [_volatile(part) for part in result]
        # A named tuple takes its fields one by one, torch's own takes them as one sequence.
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _is_volatile(self: torch.Tensor) -> bool:
    return type(self) is VolatileVariable


def _set_volatile(self: torch.Tensor, value: bool) -> None:
    if value and type(self) is torch.Tensor:
        self.__class__ = VolatileVariable
    elif not value and type(self) is VolatileVariable:
        self.__class__ = torch.Tensor  # type: ignore[assignment]


def _retain(original: Any) -> Callable[..., Any]:
    def grad(*args: Any, **kwargs: Any) -> Any:
        return original(*args, **_renamed(kwargs, retain_variables="retain_graph"))

    return grad


def _backward(original: Any) -> Callable[..., Any]:
    def backward(self: torch.Tensor, gradient: Any = None, *args: Any, **kwargs: Any) -> Any:
        kwargs = _renamed(kwargs, retain_variables="retain_graph")
        if isinstance(gradient, torch.Tensor) and self.dim() == 0 and gradient.numel() == 1:
            gradient = gradient.reshape(())
        return original(self, gradient, *args, **kwargs)

    return backward


def _backward_of_all(original: Any) -> Callable[..., Any]:
    def backward(*args: Any, **kwargs: Any) -> Any:
        kwargs = _renamed(kwargs, variables="tensors", retain_variables="retain_graph")
        return original(*args, **kwargs)

    return backward


def _renamed(kwargs: dict[str, Any], **new_names: str) -> dict[str, Any]:
    return {new_names.get(name, name): value for name, value in kwargs.items()}
