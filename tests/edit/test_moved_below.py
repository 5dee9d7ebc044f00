"""New tensors that are moved together are made on the device."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
from torch.autograd import Variable
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
"""


def _after(lines: str) -> str:
    text = _HEAD + "def f(n, a, y):\n" + textwrap.indent(textwrap.dedent(lines).strip(), "    ")
    after = migrate(text + "\n    return x, y\n").text
    assert migrate(after).text == after
    body = after[after.index("def f") :].removesuffix("    return x, y\n")
    return textwrap.dedent(body.partition("\n")[2])


@pytest.mark.parametrize(
    "moved",
    [
        "x = x.cuda()\ny = y.cuda()",
        "x, y = x.cuda(), y.cuda()",
        "y, x = y.cuda(), x.cuda()",
        "if use_cuda:\n    x = x.cuda()\n    y = y.cuda()",
        "if use_cuda:\n    x, y = x.cuda(), y.cuda()",
        "\nif use_cuda:\n    x = x.cuda()\n    y = y.cuda()",
    ],
)
def test_what_is_moved_together_is_made_there(moved: str) -> None:
    after = _after(f"x = torch.zeros(n, 2)\ny = Variable(torch.FloatTensor([1]))\n{moved}\n")
    assert after.strip().splitlines() == [
        "x = torch.zeros(n, 2, device=device)",
        "y = torch.tensor([1.0], device=device)",
    ]


def test_a_number_may_be_set_between() -> None:
    after = _after("x = torch.zeros(n)\ny = torch.ones(n)\nloss = 0\nx = x.cuda()\ny = y.cuda()\n")
    assert after.strip().splitlines() == [
        "x = torch.zeros(n, device=device)",
        "y = torch.ones(n, device=device)",
        "loss = 0",
    ]


def test_the_device_may_not_be_set_between() -> None:
    moved = "device = 'cpu'\nx, y = x.to(device), y.to(device)"
    after = _after(f"x = torch.FloatTensor(n, 2)\ny = torch.ones(n)\n{moved}\n")
    assert "device=" not in after


def test_what_is_converted_above_is_made_there() -> None:
    moved = "if use_cuda:\n    a = a.cuda()\n    x = x.cuda()\n    y = y.cuda()"
    after = _after(f"x = torch.zeros(n, 2)\ny = torch.ones(n)\ny = y.long()\n{moved}\n")
    assert after.strip().splitlines() == [
        "x = torch.zeros(n, 2, device=device)",
        "y = torch.ones(n, device=device)",
        "y = y.long()",
        "a = a.to(device)",
    ]


@pytest.mark.parametrize("moved", ["x = x.cuda()\ny = y.cuda()", "x, y = x.cuda(), y.cuda()"])
def test_what_is_random_is_moved_at_once(moved: str) -> None:
    after = _after(f"x = torch.zeros(n)\ny = torch.randn(n, 2)\n{moved}\n")
    assert after.splitlines() == [
        "x = torch.zeros(n, device=device)",
        "y = torch.randn(n, 2).to(device)",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "x = torch.zeros(n)\ny = torch.relu(a)\nx, y = x.cuda(), y.cuda()",
        "x = torch.zeros(n)\ny = torch.randn(n, out=a)\nx, y = x.cuda(), y.cuda()",
        "x = torch.zeros(n)\ny = x + 1\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\ny = y.long()\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.ones(n)\ny = x.long()\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.ones(n)\ny = y.type_as(a)\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\nprint(x)\ny = torch.randn(n)\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\na = torch.ones(n)\ny = torch.randn(n)\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.randn(n)\n# to the GPU\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)  # empty\ny = torch.randn(n)\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.randn(n)\nx = x.cuda()  # there\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.randn(n)\nx = x.cuda(non_blocking=True)\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.randn(n)\nx, a = x.cuda(), y.cuda()",
        f"x = torch.zeros(n, *{list(range(20))})\ny = torch.randn(n)\nx = x.cuda()\ny = y.cuda()",
        "x = torch.zeros(n)\ny = torch.zeros(n)\ny, x = y.to(x.device), x.cuda()",
        "x = torch.zeros(n)\ny = torch.randn(n)\ny = y.to(x.device)\nx = x.cuda()",
    ],
)
def test_what_is_another_thing_where_it_goes_is_moved(lines: str) -> None:
    written = lines.replace("cuda(non", "to(device, non").replace("cuda()", "to(device)")
    assert _after(lines).strip().splitlines() == written.splitlines()


def test_modules_may_be_moved_beside() -> None:
    lines = "x = torch.zeros(2)\nz = torch.randn(2)\ny = torch.ones(2)\n"
    lines += "if use_cuda:\n    net.cuda()\n    x = x.cuda()\n    z = z.cuda()\n    y = y.cuda()\n"
    after = migrate(f"{_HEAD}net = torch.nn.Linear(2, 2)\n{lines}print(x, y, z)\n").text
    assert after.splitlines()[3:-1] == [
        "net = torch.nn.Linear(2, 2)",
        "x = torch.zeros(2, device=device)",
        "z = torch.randn(2).to(device)",
        "y = torch.ones(2, device=device)",
        "net.to(device)",
    ]


def test_what_its_author_moves_stays() -> None:
    lines = "x = torch.zeros(n)\ny = torch.ones(n)\nx, y = x.to(device), y.to(device)\n"
    # Something else is rewritten there.
    assert _after(f"{lines}Variable(torch.zeros(n)).sum().backward()") == (
        f"{lines}torch.zeros(n).sum().backward()\n"
    )


def test_what_is_made_of_anything_else_is_moved_with_the_others() -> None:
    lines = "x = torch.zeros(2)\ny = torch.from_numpy(g())\nx = x.cuda()\ny = y.cuda()\n"
    after = migrate(f"{_HEAD}def g():\n    return x.numpy()\n\n\n{lines}").text
    assert "x = torch.zeros(2)\ny = torch.from_numpy(g())\nx = x.to(device)\n" in after


def test_a_call_at_the_module_level_may_read_what_is_not_moved_yet() -> None:
    lines = "x = torch.zeros(2)\ny = torch.ones(g())\nx = x.cuda()\ny = y.cuda()\n"
    after = migrate(f"{_HEAD}def g():\n    return x.sum()\n\n\n{lines}").text
    assert "x = torch.zeros(2)\ny = torch.ones(g())\nx = x.to(device)\n" in after
