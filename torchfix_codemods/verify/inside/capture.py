"""The tensors of one event as they are, to see by how much they are off; the run ends with it."""

from __future__ import annotations

import os
import threading
from typing import Any

import torch

from . import digest
from .trace import Stop, Trace


def install(trace: Trace, asked: dict[str, Any]) -> None:
    """Keep the tensors of an event, or say how far they are from those that were kept.

    Args:
        trace: the record.
        asked: ``event`` (its number in the main thread of this process), ``keep`` (the file for its
            tensors), ``against`` (the file of another run).
    """
    owner, count = os.getpid(), 0
    said: dict[str, Any] = {}

    def is_asked() -> bool:
        is_main = threading.current_thread() is threading.main_thread()
        return is_main and os.getpid() == owner and count == asked["event"]

    def before(kind: str) -> None:
        if is_asked():
            digest.kept = []

    def after(event: dict[str, Any]) -> None:
        nonlocal count
        found = is_asked()
        count += "thread" not in event
        if not found:
            return
        tensors, digest.kept = digest.kept or [], None
        if asked.get("keep"):
            torch.save(tensors, asked["keep"])
        if asked.get("against"):
            said["apart"] = _apart(torch.load(asked["against"]), tensors)
        trace.stop = "captured"
        raise Stop(trace.stop)

    trace.before_event.append(before)
    trace.after_event.append(after)
    trace.at_end.append(lambda: said)


def _apart(ours: list[Any], theirs: list[Any]) -> dict[str, Any] | None:
    """How far the first two tensors that differ lie apart; None: they cannot be compared."""
    if len(ours) != len(theirs):
        return None
    for one, other in zip(ours, theirs):
        if one.shape != other.shape:
            return None
        a, b = one.double().reshape(-1), other.double().reshape(-1)
        if not torch.equal(a, b):
            most = float((a - b).abs().max())
            norms = float(a.norm()), float(b.norm())
            both = norms[0] * norms[1]
            return {
                "most": most,
                "relative": float((a - b).norm()) / norms[0] if norms[0] else None,
                "cosine": float((a * b).sum()) / both if both and a.numel() > 1 else None,
            }
    return None
