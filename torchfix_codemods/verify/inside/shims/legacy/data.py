"""Data sets, loaders and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset

from ..patching import give_back, replace
from .version import TORCH


def install(users: Callable[[], bool]) -> None:
    """Old names of arguments, `.next()` of a loader, and files that hold more than weights.

    `TensorDataset(data_tensor=, target_tensor=)` was the signature up to torch 0.3; the
    iterator of a `DataLoader` had `.next()` up to 1.12; `torch.load` unpickled everything until
    2.6 made `weights_only=True` the default (2.6.0 release notes); a loader with `pin_memory`
    gave the tuples in its batches as lists (pytorch/pytorch#48419, until 2025).
    """
    replace(TensorDataset, "__init__", _tensor_dataset)
    give_back(TensorDataset, "data_tensor", property(lambda self: self.tensors[0]))
    give_back(TensorDataset, "target_tensor", property(lambda self: self.tensors[1]))
    module: Any = __import__(DataLoader.__module__, fromlist=["DataLoader"])
    for name in ("_BaseDataLoaderIter", "_DataLoaderIter"):
        iterator = getattr(module, name, None)
        if iterator is not None:
            give_back(iterator, "next", lambda self: next(self))
    pinning = getattr(getattr(torch.utils.data, "_utils", None), "pin_memory", None)
    if pinning is not None:
        replace(pinning, "pin_memory", _lists)
    if TORCH >= (1, 13):
        replace(torch, "load", lambda original: _load(original, users))


def _tensor_dataset(original: Any) -> Callable[..., Any]:
    def init(self: Any, *tensors: Any, **old: Any) -> None:
        for name in ("data_tensor", "target_tensor"):
            if name in old:
                tensors = (*tensors, old.pop(name))
        original(self, *tensors, **old)

    return init


def _lists(original: Any) -> Callable[..., Any]:
    def pin_memory(data: Any, *args: Any, **kwargs: Any) -> Any:
        pinned = original(data, *args, **kwargs)
        return list(pinned) if type(pinned) is tuple else pinned

    return pin_memory


def _load(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def load(*args: Any, **kwargs: Any) -> Any:
        if "weights_only" not in kwargs and users():
            kwargs["weights_only"] = False
        return original(*args, **kwargs)

    return load
