"""What one statement moves goes to the device together, or not at all."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options

_HEAD = """\
import torch
import torch.nn.functional as F
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""

test_keeps = keeps(
    "TP201",
    {
        "a tuple": """
            import torch
            def f(x, y):
                z, y = x.cuda(), y.float().unsqueeze(0).cuda()
                return z, y
            """,
        "a choice": """
            import torch
            def f(x, fp16):
                y = torch.ones(2)
                return x.cuda().half() if fp16 else y.cuda()
            """,
    },
)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, y, net):\n    x, y = x.cuda(), y.cuda()\n    print(torch.relu(x), torch.relu(y))\n",
        "def f(x, y, net):\n    [x, y] = [x.cuda(), y.cuda()]\n    torch.relu(x), torch.relu(y)\n",
        "def f(x, weight, bias):\n    return F.linear(x, weight.cuda(), bias.cuda())\n",
        "def f(a, x):\n    x = x.cuda()\n    return a.resize_as_(x).copy_(x)\n",
    ],
)
def test_uses_show_what_moves(text: str) -> None:
    assert migrate(_HEAD + text, "TP201").text == _HEAD + text.replace(".cuda()", ".to(device)")


@pytest.mark.parametrize(
    "text",
    [
        # The names are swapped, so what they are used for says nothing of the other one.
        "def f(x, y):\n    y, x = x.cuda(), y.cuda()\n    print(torch.relu(y))\n",
        "def f(x, y):\n    x, *y = x.cuda(), y.cuda()\n    print(torch.relu(x), torch.relu(y))\n",
        "def f(x, y):\n    x = z = x.cuda(), y.cuda()\n    print(torch.relu(x), torch.relu(y))\n",
        # An argument may be None, but nothing that is called.
        "def f(x, weight, bias):\n    print(bias.cuda())\n    return F.linear(x, weight, bias)\n",
        "def f(x, weight, stride):\n    return F.conv2d(x, weight, None, stride.cuda())\n",
    ],
)
def test_uses_show_nothing(text: str) -> None:
    assert migrate(_HEAD + text, "TP201").text == _HEAD + text


_BESIDE = _HEAD + "def f(x, y):\n    {}\n    y = torch.relu(y).cuda()\n    return x, y\n"


def test_what_is_not_known_goes_with_the_rest_of_the_file() -> None:
    for move in ("x = x.cuda()", "x.y, z = x.y.cuda(), 1", "x = x.cuda() if y else x", "x.cuda()"):
        text = _BESIDE.format(move)
        assert migrate(text, "TP201").text == text.replace(".cuda()", ".to(device)")
    for other in ("z = x.cuda()", "x = z(x.cuda())", "x = x.cuda() if y else y", "x = y, x.cuda()"):
        text = _BESIDE.format(other)
        assert migrate(text, "TP201").text == text


def test_what_stands_on_one_line_goes_as_on_two() -> None:
    head = _HEAD + "from critics import Critic\nnet, critic = torch.nn.Linear(2, 2), Critic()\n"
    for lines in ("net.cuda(), critic.cuda()\n", "net.cuda()\ncritic.cuda()\n"):
        assert migrate(head + lines, "TP201").text == head + lines.replace(".cuda()", ".to(device)")


def test_what_is_not_known_is_named() -> None:
    found = advice("TP201", _HEAD + "def f(x, y):\n    return x.cuda(), torch.relu(y).cuda()\n")
    assert [f.message for f in found] == [
        ".cuda() needs a GPU: write .to(device)",
    ]


#: The names that come in the middle may hide a device that is made above them.
_ABOVE_ALL_NAMES = """
    import torch
    net = torch.nn.Linear(2, 2)
    net.cuda()
    x = torch.ones(3).cuda()
    from plots import *
    y = torch.ones(4).cuda()
    """


def test_what_no_line_can_name_a_device_for_is_told_once() -> None:
    found = advice("TP201", _ABOVE_ALL_NAMES)
    assert [(f.line, f.message) for f in found] == [
        (3, ".cuda() needs a GPU, here and in lines 4 and 6")
    ]


def test_what_was_refused_is_told_of_each() -> None:
    text = textwrap.dedent(_ABOVE_ALL_NAMES).replace("from plots import *\n", "")
    refused = Options(accepts=lambda line, code: False)
    found = [f for f in migrate(text, "TP201", options=refused).findings if f.code == "TP201"]
    assert [f.message.partition("(")[2][-15:] for f in found] == ["it was refused)"] * 3
