"""What is made once for all processes that run tests."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

_T = TypeVar("_T")


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder of all processes that run tests.

    Args:
        factory: of this process.
    """
    folder = factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[], _T]) -> _T:
    """What the first process that asks for it makes, and the others wait for.

    Args:
        factory: of this process.
        name: of what is made.
        make: makes something that can be pickled.
    """
    made = shared_folder(factory) / f"{name}.pickle"
    with open(made.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            made.write_bytes(pickle.dumps(make()))
    found: _T = pickle.loads(made.read_bytes())
    return found
