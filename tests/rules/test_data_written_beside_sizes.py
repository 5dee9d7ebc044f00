"""What is written through ``.data`` of a tensor whose size a function changes, too."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
from torch.autograd import Variable
mask = Variable(torch.ByteTensor(4))
noise = Variable(torch.FloatTensor(4), volatile=False)


def step(n, other):
    noise.data.resize_(n, 2)
    mask.data.resize_(n, 2).fill_(1)
"""


def _after(body: str) -> str:
    after = migrate(_HEAD + textwrap.indent(body, "    "), "TP104").text
    assert migrate(after, "TP104").text == after
    return after


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("noise.data.uniform_(0, 1)", "noise.uniform_(0, 1)"),
        ("noise.data.copy_(torch.zeros(n, 2))", "noise.copy_(torch.zeros(n, 2))"),
        ("mask.data[:2, 0] = 0", "mask[:2, 0] = 0"),
        ("noise.data[0] += 1", "noise[0] += 1"),
        ("noise.data[0] = noise.data[1]", "noise[0] = noise[1]"),
        ("for b in range(n):\n    mask.data[b] = 0", "    mask[b] = 0"),
    ],
)
def test_goes_with_the_size(line: str, expected: str) -> None:
    after = _after(line + "\n")
    assert f"    {expected}\n" in after
    assert "    mask.resize_(n, 2).fill_(1)\n" in after


@pytest.mark.parametrize(
    "line",
    [
        # What is written may have a graph, which the tensor would get.
        "noise.data.copy_(other)",
        "noise.data[0] = other",
        "noise.data[0] = torch.nn.Linear(2, 2)(noise)[0]",
        # The memory itself, not a part of it.
        "noise.data = torch.zeros(n)",
        "noise.data += 1",
        "noise.data[0], k = 1, 2",
    ],
)
def test_what_stays(line: str) -> None:
    assert f"    {line}\n" in _after(line + "\n")


def test_stays_in_functions_that_change_no_size() -> None:
    more = "\n\ndef other(k):\n    noise.data.uniform_(0, 1)\n    noise.data[0] = k\n"
    text = _HEAD + more
    assert more in migrate(text, "TP104").text


def test_stays_of_what_asks_for_a_gradient() -> None:
    text = _HEAD.replace("volatile=False", "requires_grad=True") + "    noise.data[0] = 1\n"
    assert "    noise.data[0] = 1\n" in migrate(text, "TP104").text
