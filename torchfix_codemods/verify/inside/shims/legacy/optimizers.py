"""Steps of optimizers, which autograd did not notice before torch 1.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

from ..patching import replace
from .version import TORCH


def install() -> None:
    """A backward pass after a step uses the parameters as they are by then, as up to torch 1.4.

    The 1.5.0 release notes ("`torch.optim` optimizers changed to fix in-place checks for the
    changes made by the optimizer") made it an error: two losses of one forward pass, a step
    after the first backward, which is how many GANs of 2017 train.
    """
    preserve = getattr(torch.autograd, "_unsafe_preserve_version_counter", None)
    if preserve is None or TORCH < (2, 6):
        return
    for kind in vars(torch.optim).values():
        if isinstance(kind, type) and issubclass(kind, Optimizer) and "step" in vars(kind):
            replace(kind, "step", lambda original: _unnoticed(original, preserve))


def _unnoticed(original: Any, preserve: Any) -> Callable[..., Any]:
    def step(self: Optimizer, closure: Any = None) -> Any:
        if closure is not None:
            return original(self, closure)
        parameters = tuple(p for group in self.param_groups for p in group["params"])
        with preserve(parameters):
            return original(self)

    return step


def install_zeros(users: Callable[[], bool]) -> None:
    """`zero_grad()` fills with zeros instead of taking gradients away, as up to torch 1.13.

    The 2.0.0 release notes ("Gradients are now set to None by default").
    """
    if TORCH >= (2, 0):
        replace(Optimizer, "zero_grad", lambda original: _zeros(original, users))
        replace(torch.nn.Module, "zero_grad", lambda original: _zeros(original, users))


def _zeros(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def zero_grad(self: Any, set_to_none: Any = None) -> None:
        if set_to_none is None:
            set_to_none = not users()
        original(self, set_to_none=set_to_none)

    return zero_grad
