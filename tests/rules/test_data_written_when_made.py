"""What is written through ``.data`` of a new tensor, before anything else reads it."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
from torch.autograd import Variable


def f(x, lengths, other):
    mask = Variable(torch.zeros(3, 4))
"""


def _after(body: str, head: str = _HEAD) -> str:
    after = migrate(head + textwrap.indent(body, "    "), "TP101", "TP104").text
    assert migrate(after, "TP101", "TP104").text == after
    return after


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("mask.data[0] = 1\nreturn mask * x\n", "mask[0] = 1"),
        ("mask.data.fill_(2)\nreturn mask * x\n", "mask.fill_(2)"),
        ("mask.data.normal_(0, 1)\nmask.data[0] += 1\nreturn mask\n", "mask[0] += 1"),
        (
            "for i in range(mask.size(0)):\n    mask.data[i, :2] = 1\nreturn mask * x\n",
            "    mask[i, :2] = 1",
        ),
        ("if x is None:\n    mask.data[0] = 1\nreturn mask * x\n", "    mask[0] = 1"),
        ("size = mask.shape\nmask.data[0] = 1\nreturn mask * x, size\n", "mask[0] = 1"),
    ],
)
def test_goes_before_anything_reads_it(body: str, expected: str) -> None:
    after = _after(body)
    assert f"    {expected}\n" in after
    assert ".data" not in after


@pytest.mark.parametrize(
    "body",
    [
        # A graph may need the numbers from before.
        "y = mask * x\nmask.data[0] = 1\nreturn y\n",
        "for i in range(3):\n    mask.data[i] = 1\n    x = x * mask\nreturn x\n",
        "mask.data[0] = 1\ny = mask * x\nmask.data[1] = 1\nreturn y\n",
        # It has another name by then.
        "lengths.append(mask)\nmask.data[0] = 1\nreturn lengths\n",
        # What is written may have a graph.
        "mask.data[0] = other\nreturn mask\n",
        "mask.data[0] = 1\nmask.data[1] = other\nreturn mask\n",
        "mask.data[0] = 1\nmask.data[1].fill_(other)\nreturn mask\n",
        # All of it is another tensor then, or may be.
        "mask.data = torch.ones(2)\nreturn mask\n",
        "if x is None:\n    mask = other\nmask.data[0] = 1\nreturn mask\n",
        "mask += x\nmask.data[0] = 1\nreturn mask\n",
        # Somebody else may read it in between.
        "def read():\n    return mask * x\nmask.data[0] = 1\nreturn read\n",
    ],
)
def test_what_stays(body: str) -> None:
    assert textwrap.indent(body, "    ") in _after(body)


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(3, 4, requires_grad=True)",
        "Variable(torch.zeros(3, 4), requires_grad=True)",
        "other",
        "other.view(3, 4)",
        "torch.as_tensor(other)",
    ],
)
def test_stays_of_what_is_not_new_or_asks_for_a_gradient(made: str) -> None:
    head = _HEAD.replace("Variable(torch.zeros(3, 4))", made)
    assert "    mask.data[0] = 1\n" in _after("mask.data[0] = 1\nreturn mask * x\n", head)
