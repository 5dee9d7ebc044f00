"""A pytest plugin (`-p legacy_shims`) that lets test suites of 2018 start on today's Python.

It stands in for what is gone from the test runner and from the packages *around* the code
under test, so that the suites can run before and after a migration. It never touches
that code, and never adds back to torch what a migration is there to replace.
"""

from __future__ import annotations

import collections.abc
import importlib.util
import math
import random
import sys
import types
from typing import Any

import numpy
import pytest
import torch


def pytest_configure() -> None:
    """Put the stand-ins in place before any conftest is read."""
    _add_get_marker()
    _add_torch_six()
    _add_torchvision()


def pytest_runtest_setup() -> None:
    """Start every test from the same seeds: before and after must draw the same numbers."""
    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)


def _add_get_marker() -> None:
    """Bring back `item.get_marker`, which pytest 4 removed."""
    if not hasattr(pytest.Item, "get_marker"):
        pytest.Item.get_marker = pytest.Item.get_closest_marker  # type: ignore[attr-defined]


def _add_torch_six() -> None:
    """Bring back `torch._six`, which conftests imported until torch 1.13."""
    _add_module(
        "torch._six",
        PY2=False,
        PY3=True,
        container_abcs=collections.abc,
        inf=math.inf,
        int_classes=int,
        nan=math.nan,
        string_classes=(str, bytes),
    )


def _add_torchvision() -> None:
    """Stand in for torchvision, whose only use in the suites is a function they patch away."""
    if importlib.util.find_spec("torchvision") is None:
        utils = _add_module("torchvision.utils", make_grid=_make_grid)
        _add_module("torchvision", __path__=[], utils=utils)


def _add_module(name: str, **contents: Any) -> types.ModuleType:
    """Make `name` importable as a module that holds `contents`."""
    module = types.ModuleType(name)
    vars(module).update(contents)
    return sys.modules.setdefault(name, module)


def _make_grid(*_args: Any, **_kwargs: Any) -> Any:
    """Refuse to run: a test that gets here needs the real torchvision."""
    raise NotImplementedError("torchvision is not installed")
