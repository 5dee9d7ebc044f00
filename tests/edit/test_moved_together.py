"""Tensors that one line moves together are moved, or made, where each of them is made."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
from torch.autograd import Variable
device = torch.device("cuda")
use_cuda = torch.cuda.is_available()
"""


def _after(text: str) -> str:
    after = migrate(_HEAD + textwrap.dedent(text)).text
    assert migrate(after).text == after
    return after.removeprefix(_HEAD)


_BOTH = "x, y = x.cuda(), y.cuda()"


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        (f"x = torch.ones(n)\n    y = torch.zeros(n, 2)\n    {_BOTH}\n", ("ones(n", "zeros(n, 2")),
        (f"y = torch.ones(n)\n    x = torch.zeros(n, 2)\n    {_BOTH}\n", ("ones(n", "zeros(n, 2")),
        (f"x = torch.ones(n)\n    y = z.exp()\n    {_BOTH}\n", ()),
        (f"x = torch.ones(n)\n    y = torch.zeros(n)\n    print(x)\n    {_BOTH}\n", ()),
        (f"x = torch.ones(n)\n    y = torch.zeros(n)  # on the CPU\n    {_BOTH}\n", ()),
        (f"x = torch.ones(n)\n    x = torch.zeros(n)\n    {_BOTH}\n", ()),
        ("x = torch.ones(n)\n    y = torch.zeros(n)\n    y, x = x.cuda(), y.cuda()\n", ()),
    ],
)
def test_what_one_line_moves_is_made_where_it_goes(lines: str, made: tuple[str, ...]) -> None:
    after = _after(
        f"def f(n, z):\n    z = torch.ones(n) + z\n    y = z.float()\n    {lines}    return x, y\n"
    )
    for call in made:
        assert f"torch.{call}, device=device)\n" in after
    assert (".to(device)" in after) == (not made)


def _guarded(*made: str, between: str = "") -> str:
    """What becomes of lines that make x and y, and of the guard below under which both move."""
    body = [*made, *([between] if between else []), "if use_cuda:", "    x, y = x.cuda(), y.cuda()"]
    text = "import torch\nfrom torch.autograd import Variable\n\n\ndef f(model, a, b, use_cuda):\n"
    text += "".join(f"    {line}\n" for line in body)
    after = migrate(f"{text}    return model(x, y)\n").text
    assert migrate(after).text == after
    return after


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            ("x = Variable(torch.from_numpy(a).long())", "y = Variable(torch.from_numpy(b))"),
            ("x = torch.from_numpy(a).long().to(device)", "y = torch.from_numpy(b).to(device)"),
        ),
        (
            ("x = Variable(torch.zeros(2))", "y = Variable(torch.log(torch.ones(2)))"),
            ("x = torch.zeros(2, device=device)", "y = torch.log(torch.ones(2)).to(device)"),
        ),
        (
            ("x = torch.randn(2)", "y = torch.randn(3)"),
            ("x = torch.randn(2).to(device)", "y = torch.randn(3).to(device)"),
        ),
    ],
)
def test_what_lost_its_variable_or_guard_is_moved_where_it_is_made(
    made: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert "\n    " + "\n    ".join([*expected, "return model(x, y)"]) in _guarded(*made)


@pytest.mark.parametrize(
    "made",
    [
        # One sees, or may change, what the other one is made of.
        ("x = Variable(torch.from_numpy(a))", "y = Variable(torch.exp(x))"),
        ("x = Variable(torch.from_numpy(a))", "y = Variable(torch.from_numpy(b(a)))"),
        # Its move would need brackets.
        ("x = Variable(torch.from_numpy(a))", "y = torch.from_numpy(b) + 1"),
        ("x = Variable(torch.randn(2))", "y = torch.zeros(2)  # on the CPU"),
        # The line would be too long.
        ("x = Variable(torch.randn(2))", f"y = Variable(torch.randn({'1 + ' * 17}1))"),
    ],
)
def test_where_one_has_to_stay_both_are_moved_below(made: tuple[str, ...]) -> None:
    assert "x, y = x.to(device), y.to(device)\n" in _guarded(*made)


def test_the_guard_may_stand_before_the_moves() -> None:
    text = "import torch\n\nuse_cuda = torch.cuda.is_available()\n\n\ndef f(model, a, b):\n"
    text += "    x = torch.from_numpy(a).float()\n    y = torch.from_numpy(b).long()\n"
    text += "    if use_cuda: x, y = x.cuda(), y.cuda()\n    return model(x, y)\n"
    after = migrate(text).text
    assert "    x = torch.from_numpy(a).float().to(device)\n" in after
    assert "    y = torch.from_numpy(b).long().to(device)\n    return model(x, y)\n" in after


def test_what_stands_between_may_see_either() -> None:
    made = ("x = Variable(torch.randn(2))", "y = Variable(torch.randn(3))")
    assert "x, y = x.to(device), y.to(device)\n" in _guarded(*made, between="print(x)")


def test_what_its_author_moves_below_stays() -> None:
    text = "import torch\n\n\ndef f(device):\n    x = torch.randn(2)\n    y = torch.randn(2)\n"
    text += "    x, y = x.to(device), y.to(device)\n    return x, y\n"
    assert migrate(text).text == text


@pytest.mark.parametrize(
    ("lines", "given", "made"),
    [
        ("h = torch.zeros(n, 2)\n    c = torch.zeros(n)\n", "h.cuda(), c.cuda()", True),
        ("h = torch.zeros(\n        n,\n        2\n    )\n", "h.cuda()", True),
        ("h = torch.zeros(n)\n    c = torch.ones(n)\n", "(h.cuda(), (c.cuda(),))", True),
        # One of them is not made there, or is given twice, or as it is.
        ("h = torch.zeros(n)\n    c = z.exp()\n", "h.cuda(), c.cuda()", False),
        ("h = torch.zeros(n)\n    c = torch.randn(n)\n", "h.cuda(), c.cuda()", False),
        ("h = torch.zeros(n)\n", "h.cuda(), h.cuda()", False),
        ("h = torch.zeros(n)\n    c = torch.zeros(n)\n", "h.cuda(), c", False),
        ("h = torch.zeros(n)\n    z.append(h)\n", "h.cuda()", False),
    ],
)
def test_what_is_given_back_is_made_where_it_goes(lines: str, given: str, made: bool) -> None:
    after = _after(f"def f(n, z):\n    {lines}    return {given}\n")
    assert (".to(device)" in after) is not made
    returned = given.replace(".cuda()", "" if made else ".to(device)")
    assert f"    return {returned}\n" in after
    assert ("device=device" in after) is made
