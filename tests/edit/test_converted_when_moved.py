"""What a rewrite moves to a device is converted there."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
device = torch.device("cuda")
"""


def _after(body: str) -> str:
    text = _HEAD + "def f(y, z):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    after = migrate(text).text
    assert migrate(after).text == after
    return after


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x.type(torch.FloatTensor).cuda()", "x.to(device, torch.float)"),
        ("x.type(torch.LongTensor).cuda()", "x.to(device, torch.long)"),
        ("x.type('torch.DoubleTensor').cuda()", "x.to(device, torch.double)"),
        ("torch.floor(y).type(torch.IntTensor).cuda()", "torch.floor(y).to(device, torch.int)"),
    ],
)
def test_type_of_the_cpu_before_a_move(line: str, expected: str) -> None:
    after = _after(f"x = torch.floor(y)\nw = {line}\nreturn w + 1\n")
    assert f"    w = {expected}\n" in after


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x[:, 1] = 0\nw = x.type(torch.FloatTensor).cuda()", "x.to(device)"),
        ("x[:, 1] = 0\nw = Variable(x.type(torch.FloatTensor).cuda())", "x.to(device)"),
        ("x[:, 1] = 0\nw = x.type(torch.LongTensor).cuda()", "x.to(device, torch.long)"),
        (
            "w = torch.ones(3).fill_(z).type(torch.DoubleTensor).cuda()",
            "torch.ones(3).fill_(z).to(device, torch.double)",
        ),
    ],
)
def test_what_was_made_on_the_cpu(body: str, expected: str) -> None:
    made = f"from torch.autograd import Variable\nx = torch.ones(3, 4)\n{body}\nreturn w + 1\n"
    assert f"    w = {expected}\n" in _after(made)


@pytest.mark.parametrize("default", ["set_default_tensor_type(z)", "set_default_device(z)"])
def test_what_may_be_made_elsewhere(default: str) -> None:
    body = "x = torch.ones(3)\nx[1] = 0\nw = x.type(torch.FloatTensor).cuda()\nreturn w, x"
    assert "w = x.type(torch.FloatTensor)" in _after(f"torch.{default}\n{body}")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        # No tensor for certain: a module has ``type`` and ``to`` as well.
        ("return z.type(torch.FloatTensor).cuda()", "z.type(torch.FloatTensor)"),
        # What is written afterwards has to be a copy.
        (
            "x = torch.floor(y)\nw = x.type(torch.FloatTensor).cuda()\nw[0] = 1\nreturn w, x",
            "x.type(torch.FloatTensor)",
        ),
        (
            "x = torch.floor(y)\nw = x.type(torch.FloatTensor).cuda()\nx.add_(1)\nreturn w",
            "x.type(torch.FloatTensor)",
        ),
        # The default type may be another one.
        ("x = torch.floor(y)\nreturn x.type(torch.Tensor).cuda()", "x.type(torch.Tensor)"),
        ("x = torch.floor(y)\nreturn x.type(y).cuda()", "x.type(y)"),
        # It stays on the CPU.
        ("x = torch.floor(y)\nreturn x.type(torch.LongTensor)", "x.type(torch.LongTensor)"),
        # Nobody asked for another device there.
        (
            "x = torch.floor(y)\nreturn x.type(torch.LongTensor).to(device)",
            "x.type(torch.LongTensor).to(device)",
        ),
    ],
)
def test_what_stays(body: str, kept: str) -> None:
    assert kept in _after(body)
