"""What is made once for all processes that run tests."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from typing import TypeVar

import pytest

_T = TypeVar("_T")


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[], _T]) -> _T:
    """What the first process that asks for it makes, and the others wait for.

    Args:
        factory: of this process.
        name: of what is made.
        make: makes something that can be pickled.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = folder / f"{name}.pickle"
    with open(made.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            made.write_bytes(pickle.dumps(make()))
    found: _T = pickle.loads(made.read_bytes())
    return found
