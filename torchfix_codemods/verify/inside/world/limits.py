"""Ends a run early: after so many optimizer steps or seconds; loaders after so many batches."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import torch.utils.data

from ..trace import Stop, Trace

#: How often a program may swallow its end.
_PATIENCE = 20


def install(
    trace: Trace,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    max_batches: int | None = None,
) -> None:
    """Set the limits.

    Args:
        trace: the record, whose ``stop`` becomes the reason.
        max_steps: optimizer steps of one process.
        max_seconds: seconds from now, looked at with each event.
        max_batches: batches that one pass over a DataLoader gives.
    """
    started = time.monotonic()
    steps = swallowed = 0

    def check(kind: str) -> None:
        nonlocal steps, swallowed
        # A bare ``except:`` of the program's can swallow it: it is raised again and again.
        if trace.stop is None:
            steps += kind == "step"
            if max_steps is not None and steps > max_steps:
                trace.stop = "steps"
            elif max_seconds is not None and time.monotonic() - started > max_seconds:
                trace.stop = "seconds"
        if trace.stop is not None and kind != "final":
            swallowed += 1
            if swallowed > _PATIENCE:
                trace.note({"end": 0, "stop": trace.stop, "events": trace.count})
                sys.stdout.flush()
                os._exit(0)
            raise Stop(trace.stop)

    trace.before_event.append(check)
    if max_batches is not None:
        _limit_batches(max_batches)


def _limit_batches(count: int) -> None:
    loaders: Any = torch.utils.data.dataloader
    for name in ("_BaseDataLoaderIter", "_DataLoaderIter"):
        cls = getattr(loaders, name, None)
        if cls is not None and "__next__" in vars(cls):
            _limit_iterator(cls, count)
            _limit_length(cls, count)
    _limit_length(torch.utils.data.DataLoader, count)


def _limit_length(cls: Any, count: int) -> None:
    """Programs count how many batches there still are."""
    original = cls.__len__
    cls.__len__ = lambda self: min(original(self), count)


def _limit_iterator(cls: Any, count: int) -> None:
    original = cls.__next__

    def limited(self: Any) -> Any:
        given = getattr(self, "_torchfix_given", 0)
        if given >= count:
            raise StopIteration
        self._torchfix_given = given + 1
        return original(self)

    cls.__next__ = limited
    if hasattr(cls, "next"):
        cls.next = limited
