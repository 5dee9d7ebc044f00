"""Functions of autograd that are instances, as up to torch 1.4."""

from __future__ import annotations

import types
import warnings
from typing import Any

import torch
from torch.autograd import Function


def install() -> None:
    """`MyFunction(args)(x)` with `forward` and `backward` as ordinary methods.

    "Legacy autograd function with non-static forward method" was removed in torch 1.5. Each
    instance is run through a new-style function made for it: `self` of `forward` and `backward`
    is the new function's context, with the attributes and methods of the instance. As before,
    `backward` itself is not recorded for a second differentiation.
    """
    if "__call__" not in Function.__dict__:
        return
    refuse: Any = Function.__call__

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(_definition(type(self), "forward"), types.FunctionType):
            return _new_style(self).apply(*args, **kwargs)
        return refuse(self, *args, **kwargs)

    def init(self: Any, *args: Any, **kwargs: Any) -> None: ...

    Function.__call__ = call  # type: ignore[method-assign]
    Function.__init__ = init  # type: ignore[method-assign]


def _definition(cls: type, name: str) -> Any:
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _new_style(instance: Any) -> Any:
    old = type(instance)

    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        for name, value in vars(instance).items():
            setattr(ctx, name, value)
        result = old.forward(ctx, *args, **kwargs)
        vars(instance).update(vars(ctx))
        return result

    def backward(ctx: Any, *gradients: Any) -> Any:
        return old.backward(ctx, *gradients)

    members = {
        "forward": staticmethod(forward),
        "backward": staticmethod(torch.autograd.function.once_differentiable(backward)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        meta: Any = type(Function)
        new = meta(old.__name__, (Function,), members)
        context = type(new._backward_cls)(
            new._backward_cls.__name__, (new._backward_cls,), {"__getattr__": _of(instance)}
        )
    new._backward_cls = context
    return new


def _of(instance: Any) -> Any:
    """What a context does not know itself: the methods and class attributes of the instance."""

    def getattr_(ctx: Any, name: str) -> Any:
        if name == "saved_variables":
            return ctx.saved_tensors
        value = _definition(type(instance), name)
        if value is None or name.startswith("__"):
            raise AttributeError(name)
        return value.__get__(ctx, type(instance)) if hasattr(value, "__get__") else value

    return getattr_
