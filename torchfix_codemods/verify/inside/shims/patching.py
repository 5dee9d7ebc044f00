"""Putting a function of ours in the place of one of torch's."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from .slots import stay_no_sequence


def replace(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Replace `owner.name` by what `make` builds around it; where there is none, do nothing."""
    original = getattr(owner, name, None)
    if original is None:
        return
    ours = make(original)
    functools.update_wrapper(ours, original)
    _keep_scriptable(original, ours)
    setattr(owner, name, ours)
    if name == "__getitem__":
        stay_no_sequence(owner)


def give_back(owner: Any, name: str, ours: Any) -> None:
    """Set `owner.name` where it is gone."""
    if not hasattr(owner, name):
        setattr(owner, name, ours)


def _keep_scriptable(original: Any, ours: Any) -> None:
    """TorchScript knows an operator by its function's identity, compiles the rest from source."""
    if inspect.isfunction(original):
        ours.__prepare_scriptable__ = lambda: original
    # The table is in torch.jit itself up to torch 1.1.
    for module in ("torch.jit._builtins", "torch.jit"):
        table = getattr(sys.modules.get(module), "_builtin_table", None)
        if table is not None and id(original) in table:
            table[id(ours)] = table[id(original)]
