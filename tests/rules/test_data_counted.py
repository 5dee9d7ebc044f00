"""Where a loop only counts what it goes through, it needs no `.data`."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch


def one_hot(x: torch.Tensor, n):
    if (x.data < n).all() == 0:
        {loop}
    return torch.zeros(len(x), n).scatter_(1, x.data, 1.0)
"""


def _migrated(loop: str) -> str:
    return migrate(_TEXT.format(loop=loop), "TP104").text


@pytest.mark.parametrize(
    ("loop", "after"),
    [
        (
            "for i, d in enumerate(x.data):\n            x[i] = 0",
            "for i, d in enumerate(x):\n            x[i] = 0",
        ),
        ("for _ in x.data:\n            n += 1", "for _ in x:\n            n += 1"),
        ("print([i for i, d in enumerate(x.data)])", "print([i for i, d in enumerate(x)])"),
    ],
)
def test_elements_that_nothing_reads(loop: str, after: str) -> None:
    assert after in _migrated(loop)


@pytest.mark.parametrize(
    "loop",
    [
        "for i, d in enumerate(x.data):\n            x[i] = d",
        "for d in enumerate(x.data):\n            n += d[0]",
        "for i, (d, e) in enumerate(x.data):\n            n += d",
        "global d\n        for i, d in enumerate(x.data):\n            n += i",
        "for d in x.data:\n            n += 1\n        print(d)",
    ],
)
def test_elements_that_something_may_read(loop: str) -> None:
    assert loop in _migrated(loop)
