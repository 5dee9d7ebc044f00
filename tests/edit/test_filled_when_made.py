"""Memory that the line below fills is made so, where a rewrite told it from values."""

from __future__ import annotations

import textwrap

import pytest
import torch

from tests.support.rules import migrate, twice_migrated

_HEAD = "import torch\nfrom torch.autograd import Variable\n"


def _after(text: str) -> str:
    return twice_migrated(_HEAD, text)


_FOLDED = {
    "with zeros": (
        """
        x = torch.FloatTensor(2, 3)
        x.zero_()
        """,
        "x = torch.zeros(2, 3)",
    ),
    "with ones of a type": (
        """
        x = torch.LongTensor(2, 3)
        x.fill_(1)
        """,
        "x = torch.ones(2, 3, dtype=torch.long)",
    ),
    "of the type of another": (
        """
        y = torch.ones(2).double()
        x = y.new(2, 3)
        x.zero_()
        """,
        "x = y.new_zeros(2, 3)",
    ),
    "a Variable that is filled at once": (
        "x = Variable(torch.FloatTensor(2, 3), requires_grad=False).fill_(0.0)",
        "x = torch.zeros(2, 3)",
    ),
    "behind its data, and moved before": (
        """
        x = Variable(torch.FloatTensor(2, 3).type_as(torch.ones(1)).cuda(1))
        x.data.fill_(0)
        """,
        "x = torch.zeros(2, 3).type_as(torch.ones(1)).cuda(1)",
    ),
}


@pytest.mark.parametrize(("before", "after"), _FOLDED.values(), ids=_FOLDED)
def test_folds(before: str, after: str) -> None:
    text = _after(before)
    assert text.rstrip().endswith(after)
    assert "fill_" not in text
    assert "zero_" not in text


_KEPT = {
    "another number": ("torch.LongTensor(2)", "x.fill_(2)"),
    "a number that is not known": ("torch.LongTensor(2)", "x.fill_(n)"),
    "True, which is no number here": ("torch.ByteTensor(2)", "x.fill_(True)"),
    "something else": ("torch.FloatTensor(2)", "y.zero_()"),
    "a part of it": ("torch.FloatTensor(2)", "x[0].zero_()"),
    "another thing in between": ("torch.FloatTensor(2)", "print(n)\nx.zero_()"),
    "a comment beside": ("torch.FloatTensor(2)", "x.zero_()  # none yet"),
    "a comment above": ("torch.FloatTensor(2)", "# none yet\nx.zero_()"),
    "what the line calculates": ("torch.FloatTensor(2) + 1", "x.zero_()"),
    "what is filled with random numbers": ("torch.FloatTensor(2)", "x.normal_()"),
}


@pytest.mark.parametrize(("made", "filled"), _KEPT.values(), ids=_KEPT)
def test_keeps(made: str, filled: str) -> None:
    assert filled in _after(
        f"def f(n, y):\n    x = {made}\n{textwrap.indent(filled, '    ')}\n"
    ).replace("\n    ", "\n")


_MOVED = """
class Loss(torch.nn.Module):
    def forward(self, fake):
        n = fake.size(0)
        labels = {}
        return torch.nn.functional.binary_cross_entropy(fake, labels)
"""


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("Variable(torch.FloatTensor(n).cuda().fill_(1))", "torch.ones(n, device=fake.device)"),
        ("torch.FloatTensor(n, 2).cuda().zero_()", "torch.zeros(n, 2, device=fake.device)"),
        ("torch.FloatTensor(n).type_as(fake).zero_()", "torch.zeros(n).type_as(fake)"),
        ("torch.FloatTensor(n).cuda().fill_(2)", "torch.empty(n, device=fake.device).fill_(2)"),
        ("torch.FloatTensor(n).cuda().fill_(n)", "torch.empty(n, device=fake.device).fill_(n)"),
        ("(torch.FloatTensor(n) + n).fill_(1)", "(torch.empty(n) + n).fill_(1)"),
    ],
)
def test_what_is_moved_and_filled_in_one_expression(made: str, written: str) -> None:
    assert f"        labels = {written}\n" in _after(_MOVED.format(made))


def test_memory_that_no_rewrite_told_from_values_stays() -> None:
    text = _HEAD + "y = Variable(torch.ones(2))\nx = torch.empty(2)\nx.zero_()\nprint(x, y)\n"
    assert "x = torch.empty(2)\nx.zero_()\n" in migrate(text).text


def test_a_value_with_two_names_stays() -> None:
    assert "x.zero_()" in _after("x = y = torch.FloatTensor(2)\nx.zero_()\n")


def test_the_numbers_are_the_same() -> None:
    text = "x = torch.IntTensor(2, 3)\nx.fill_(1)\n"
    before: dict[str, torch.Tensor] = {"torch": torch}  # type: ignore[dict-item]
    after: dict[str, torch.Tensor] = {}
    exec(text, before)
    exec(_after(text), after)
    assert before["x"].dtype is after["x"].dtype
    assert torch.equal(before["x"], after["x"])


_COPIED = """import torch
from torch.autograd import Variable


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x, state):
        x = self.layer(x)
        s = state or {}
        return self.layer(x + s)
"""


@pytest.mark.parametrize(
    ("filled", "written"),
    [
        ("Variable(x.data.clone().zero_())", "torch.zeros_like(x)"),
        ("Variable(x.data.clone().fill_(1))", "torch.ones_like(x)"),
        ("Variable(x.data.clone().zero_() + 2)", "torch.zeros_like(x) + 2"),
    ],
)
def test_a_copy_that_is_filled_is_made_like_it(filled: str, written: str) -> None:
    after = twice_migrated("", _COPIED.format(filled))
    assert f"        s = state or {written}\n" in after


@pytest.mark.parametrize(
    ("filled", "written"),
    [
        ("Variable(x.data.clone().fill_(2))", "x.detach().clone().fill_(2)"),
        ("Variable(x.data.clone().add_(1))", "x.detach().clone().add_(1)"),
        ("Variable(x.detach().clone().zero_())", "x.detach().clone().zero_()"),
        ("x.clone().zero_()", "x.clone().zero_()"),
    ],
)
def test_other_copies_stay(filled: str, written: str) -> None:
    after = twice_migrated("", _COPIED.format(filled))
    assert f"        s = state or {written}\n" in after


def test_a_copy_stays_where_torch_has_no_name() -> None:
    text = _COPIED.replace("import torch\n", "from torch import nn\n", 1).replace("torch.nn", "nn")
    after = twice_migrated("", text.format("Variable(x.data.clone().zero_())"))
    assert "        s = state or x.detach().clone().zero_()\n" in after


def _made_like(*lines: str, given: str = "torch.rand(n, n)") -> str:
    text = f"import torch\n\n\ndef f(n, other):\n    x = {given}\n"
    return migrate(text + "".join(f"    {line}\n" for line in lines) + "    return x, y\n").text


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        (("y = x.new()", "y.resize_as_(x)", "y.fill_(1)"), "ones"),
        (("y = x.new()", "y.resize_as_(x).fill_(1)"), "ones"),
        (("y = x.new()", "y.resize_as_(x).zero_()"), "zeros"),
    ],
)
def test_memory_that_is_resized_and_filled_is_made_like_the_other(
    lines: tuple[str, ...], made: str
) -> None:
    after = _made_like(*lines)
    assert after.endswith(f"(n, n)\n    y = torch.{made}_like(x)\n    return x, y\n")
    assert migrate(after).text == after


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        (("y = x.new()", "y.resize_as_(other)", "y.fill_(1)"), "torch.rand(n, n)"),
        (("y = x.new()", "y.resize_as_(x)", "y.fill_(2)"), "torch.rand(n, n)"),
        (("y = x.new()", "y.resize_as_(x)", "print(y)", "y.fill_(1)"), "torch.rand(n, n)"),
        (("y = x.new()", "y.resize_as_(x)  # empty", "y.fill_(1)"), "torch.rand(n, n)"),
        # y lies in another order than what is made like x.
        (("y = x.new()", "y.resize_as_(x)", "y.fill_(1)"), "torch.rand(n, n).t()"),
        (("x = x.new()", "y = x.resize_as_(x)", "y.fill_(1)"), "torch.rand(n, n)"),
    ],
)
def test_other_memory_is_resized_as_it_was(lines: tuple[str, ...], given: str) -> None:
    after = _made_like(*lines, given=given)
    assert "_like" not in after and "resize_as_" in after
