"""``total[0]`` of what a loop sums up of ``loss.data``: a number of Python until torch 0.3."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """\
import torch
import torch.nn as nn
from torch.autograd import Variable
criterion = nn.MSELoss()
def test(model, loader, other):
    total = {start}
    for x, y in loader:
        x = Variable(x, volatile=True)
        loss = criterion(model(x), Variable(y))
        {line}
    other.update(total[0])
"""


def _is_number(line: str, start: str = "0") -> bool:
    text = _TEXT.format(line=line, start=start)
    migration = migrate(text, "TP103")
    assert migration.text in (text, text.replace("total[0]", "total.item()"))
    return migration.text != text


@pytest.mark.parametrize(
    "line",
    [
        "total += loss.data",
        "total += loss.data * len(x)",
        "total += len(x) * loss.data",
        "total = loss.data + 3",
        "part = loss.data\n        total += part",
        "if x is None:\n            total = loss.data\n        else:\n            total += loss.data",
        "total += loss.data\n        total += loss.data",
    ],
)
def test_a_sum_of_data_is_a_number(line: str) -> None:
    assert _is_number(line)
    assert _is_number(line, "0.")


@pytest.mark.parametrize(
    "line",
    [
        "total += loss",
        "total = loss + 3",
        "total = loss",
        "total += loss * len(x)",
        "total = loss.data if x is None else loss",
        "total = other\n        total += loss",
    ],
)
def test_a_sum_of_variables_is_none(line: str) -> None:
    assert not _is_number(line)


def test_where_only_some_were_data_it_is_none() -> None:
    assert not _is_number("total = loss.data if x is None else total", "criterion(other, other)")
