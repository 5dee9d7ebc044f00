"""Of a quotient in a file of Python 2 nothing is told where a side is certainly no integer."""

from __future__ import annotations

import pytest

from tests.support.alone import ALONE
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

_TEXT = """\
import cmath, datetime, math, pathlib, statistics
import numpy as np
import torch
from decimal import Decimal
from fractions import Fraction
print 1
def f(n, count, x, frame):
    {given}
    return {quotient}
"""


def migrate(text: str) -> FileResult:
    return migrate_bytes(text.encode(), ALONE / "main.py", Settings(py2=True))


def _is_told(given: str, quotient: str = "size / count") -> bool:
    text = _TEXT.format(given=given, quotient=quotient)
    return any(f.code == "TP002" for f in migrate(text).findings)


_NO_INTEGERS = [
    "size = complex(n, 1)",
    "size = 2j * n",
    "size = -(1 + n * 1j)",
    "size = cmath.exp(n)",
    "size = Decimal(n)",
    "size = Decimal(n) + count",
    "size = Fraction(n, 3)",
    "size = pathlib.Path(n)",
    "size = datetime.timedelta(seconds=n)",
    "size = datetime.datetime.now() - frame",
    "size = (datetime.datetime.now() - frame).total_seconds()",
    "size = np.float32(n)",
    "size = np.float_(n)",
    "size = np.float64(n)\n    size = size + 1",
    "size = np.mean(x)",
    "size = np.linalg.norm(x)",
    "size = np.sqrt(n)",
    "size = frame['x'].mean()",
    "size = frame.std()",
]


@pytest.mark.parametrize("given", _NO_INTEGERS)
def test_nothing_is_told_of_what_is_no_integer(given: str) -> None:
    assert not _is_told(given)
    assert not _is_told(given, "count / size")


_MAY_BE_INTEGERS = [
    "size = n",
    "size = -n",
    "size = n + count",
    "size = abs(n)",
    "size = frame.sum()",
    "size = frame.median()",
    "size = statistics.median(x)",
    "size = np.sum(x)",
    "size = np.abs(n)",
    "size = np.int32(n)",
    "size = datetime.datetime.now().day",
    "size = datetime.timedelta(n).days",
    "size = (datetime.datetime.now() - frame).seconds",
    "size = int(np.sqrt(n))",
    "size = len(Decimal(n).as_tuple())",
    "class Counts:\n        def mean(self): return 3\n    size = Counts().mean()",
]


@pytest.mark.parametrize("given", _MAY_BE_INTEGERS)
def test_of_what_may_be_an_integer_it_is_told(given: str) -> None:
    assert _is_told(given)


def test_the_attribute_of_an_object_is_followed() -> None:
    text = (
        "import torch\nfrom decimal import Decimal\nprint 1\nclass A:\n    def __init__(self, n):\n"
        "        self.total = {}\n    def f(self, count):\n        return self.total / count\n"
    )
    told = [
        any(f.code == "TP002" for f in migrate(text.format(given)).findings)
        for given in ("Decimal(0)", "n")
    ]
    assert told == [False, True]
