"""What is told of images that SciPy stretched to bytes: only what holds for their numbers."""

from __future__ import annotations

import pytest

from tests.support.rules import advice

_SAVED = """
import numpy as np
import scipy.misc
import torch
def save(path, x, n):
    {}
    scipy.misc.imsave(path, img)
"""

_FLOATS = [
    "img = x.astype(float)",
    "img = x / 255.",
    "img = (x / 255.).transpose(1, 2, 0)",
    "img = x.astype(np.float32)\n    img -= img.min()",
    "img = x.copy()\n    img /= 255.",
    "img = np.zeros(n)\n    for i in range(n):\n        img *= i",
    "img = np.random.rand(n, n)",
    "img = 1 - np.sqrt(x)",
    "img = -np.exp(x)",
    "img = torch.zeros(n, n, dtype=torch.float32).numpy()",
    "img = torch.ones(n, n).double().cpu().numpy().transpose(1, 0)",
]


@pytest.mark.parametrize("given", _FLOATS)
def test_of_floats_the_stretching_alone_is_told(given: str) -> None:
    (found,) = advice("TP907", _SAVED.format(given))
    assert found.message.endswith("does the same for floats") and "uint8;" not in found.message
    assert len(found.message) <= 200


@pytest.mark.parametrize(
    "given", ["img = x.astype('uint8')", "img = x.byte().numpy()", "img = np.uint8(x * 255.)"]
)
def test_of_bytes_nothing_is_told_of_others(given: str) -> None:
    (found,) = advice("TP907", _SAVED.format(given))
    assert "does the same" in found.message and "stretched" not in found.message


@pytest.mark.parametrize(
    "given",
    [
        "img = x",
        "img = x.copy()\n    img += x",
        "img = x.numpy()",
        "img = np.mean(x, axis=0, dtype=int)",
        "img = np.mean(x, **n)",
        "img = (x > 0).numpy()",
        "img = x * 2",
        "img = np.zeros(n)\n    if n:\n        img = x",
    ],
)
def test_of_what_is_not_known_both_are_told(given: str) -> None:
    (found,) = advice("TP907", _SAVED.format(given))
    assert found.message.endswith("does the same for uint8; it stretched other types to 0 to 255")
