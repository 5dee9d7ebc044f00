"""What becomes of the comment beside ``x = Variable(x)``."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """
import torch
from torch.autograd import Variable
from torch.utils.data import DataLoader

def run(net, device):
    for x, y in DataLoader(own(), batch_size=3):
        x = Variable(x) # (batch, 3)
"""


def _after(body: str) -> str:
    text = textwrap.dedent(_HEAD) + textwrap.indent(textwrap.dedent(body), " " * 8)
    after = migrate(text).text
    assert migrate(after).text == after
    return after.partition("batch_size=3):\n")[2]


def test_it_goes_to_the_next_line_that_gives_the_name_a_value() -> None:
    body = """
    y = y.to(device)
    x = x.to(device)
    print(net(x), y)
    """
    after = textwrap.dedent(_after(body))
    assert after.startswith("y = y.to(device)\nx = x.to(device) # (batch, 3)\nprint(")


@pytest.mark.parametrize(
    "body",
    [
        "print(x)\nx = x.to(device)\nprint(net(x))\n",
        "x = x.to(device)  # moved\nprint(net(x))\n",
        "x, y = x.to(device), y.to(device)\nprint(net(x), y)\n",
        "if y:\n    x = x.to(device)\nprint(net(x))\n",
        "x = x.to(\n    device)\nprint(net(x))\n",
        "print(net(x))\n",
    ],
    ids=["used before", "a comment of its own", "with another", "perhaps", "on two lines", "never"],
)
def test_else_it_stands_on_its_own(body: str) -> None:
    assert _after(body).lstrip("\n ").startswith("# (batch, 3)\n")
