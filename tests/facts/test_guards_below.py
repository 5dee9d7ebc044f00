"""An old name that is only reached where its library has not the new one is left alone."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate

_TEXT = """
import inspect
import numpy as np
import torch
def run(a, fn):
    {}
"""

_NOT_REACHED = {
    name: _TEXT.format(body.replace("\n", "\n    "))
    for name, body in {
        "a branch": (
            "if hasattr(np, 'isin'):\n    return np.isin(a, [1])\nelse:\n    return np.in1d(a, [1])"
        ),
        "an expression": "return np.isin(a, 1) if hasattr(np, 'isin') else np.in1d(a, 1)",
        "not there": "if not hasattr(np, 'isin'):\n    a = np.in1d(a, [1])\nreturn a",
        "below a branch": "if hasattr(np, 'isin'):\n    return np.isin(a, 1)\nreturn np.in1d(a, 1)",
        "python's own": (
            "if hasattr(inspect, 'getfullargspec'):\n    return inspect.getfullargspec(fn)\n"
            "return inspect.getargspec(fn)"
        ),
        "below what is tried": (
            "try:\n    return torch.linalg.eigh(a)\nexcept AttributeError:\n    pass\n"
            "return torch.symeig(a, eigenvectors=True)"
        ),
    }.items()
}

test_keeps = keeps("TP905", _NOT_REACHED)


@pytest.mark.parametrize("name", _NOT_REACHED)
def test_nothing_is_told_of_what_is_not_reached(name: str) -> None:
    assert not advice("TP905", _NOT_REACHED[name])
    assert not advice("TP902", _NOT_REACHED[name])


@pytest.mark.parametrize(
    "body",
    [
        "if hasattr(fn, 'isin'):\n    return fn.isin(a, 1)\nreturn np.in1d(a, 1)",
        "if hasattr(inspect, 'isin'):\n    return a\nreturn np.in1d(a, 1)",
        "if hasattr(np, 'isin'):\n    a = np.isin(a, 1)\nreturn np.in1d(a, 1)",
        "try:\n    return fn(a)\nexcept AttributeError:\n    pass\nreturn np.in1d(a, 1)",
        "try:\n    return np.isin(a, 1)\nexcept ValueError:\n    pass\nreturn np.in1d(a, 1)",
        "try:\n    a = a.data\n    return np.sum(a)\nexcept AttributeError:\n    pass\n"
        "return np.in1d(a, 1)",
    ],
)
def test_what_is_reached_is_written(body: str) -> None:
    text = migrate(_TEXT.format(body.replace("\n", "\n    ")), "TP905").text
    assert "return np.isin(a, 1).ravel()" in text
