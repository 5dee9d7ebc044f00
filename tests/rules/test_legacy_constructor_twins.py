"""TP403 where one function makes memory alike of several tensors: all of it, or none."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """
import torch
import builders
def f(x: torch.Tensor, y{known}, n, m):
    if n:
        made = x{first}
    else:
        made = {second}
    return made
"""
_DRAWN = ".data.new({}.size()).normal_()"


def _after(first: str, second: str, known: str = "") -> tuple[str, str]:
    """The text before and after."""
    text = _TEXT.format(first=first, second=second, known=known)
    return text, migrate(text, "TP403", "TP104").text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_DRAWN.format("x"), "y" + _DRAWN.format("y")),
        (".new(3, n).zero_()", "y.new(3, n).zero_()"),
        (".new([1, 2])", "y[0].new([1, 2])[1] + y.new([1, 2])"),
    ],
)
def test_none_is_told_where_one_stays(first: str, second: str) -> None:
    before, after = _after(first, second)
    assert after == before
    assert ".new(" not in _after(first, second, ": torch.Tensor")[1].replace("[0].new(", "")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_DRAWN.format("x"), "y.data.new(n)"),
        (".new(3, n).zero_()", "y.new(4, n, m).zero_()"),
        (".new(3, n).zero_()", "builders.new(3, n)"),
        (".new(3, n).zero_()", "torch.nn.Linear(2, 3).new(3, n)"),
        (".new(3, n).zero_()", "[y, 3]\n    def g(z):\n        return z.new(3, n)"),
    ],
)
def test_what_is_written_otherwise_is_told(first: str, second: str) -> None:
    before, after = _after(first, second)
    assert f"x{first}" in before
    assert f"x{first}" not in after
    assert second in after


_UNKNOWN_SIZES = """
import torch
def f(x: torch.Tensor, n, m, k):
    return x.new({given}){after}
"""


@pytest.mark.parametrize(
    ("given", "after", "expected"),
    [
        ("n, m, k", ".zero_()", "x.new_zeros(n, m, k)"),
        ("n, m", ".fill_(1)", "x.new_ones(n, m)"),
        ("n.rows, m", ".long().zero_()", "x.new_zeros(n.rows, m, dtype=torch.long)"),
    ],
)
def test_what_is_filled_at_once_is_given_sizes(given: str, after: str, expected: str) -> None:
    """A sparse tensor is made of indices and values, which nobody gives to overwrite them."""
    text = _UNKNOWN_SIZES.format(given=given, after=after)
    assert migrate(text, "TP403").text == text.replace(f"x.new({given}){after}", expected)


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("n, m, k", ""),
        ("n, m", ".long()"),
        ("n, m", ".to_dense()"),
        ("n, m", ".mul_(2)"),
        ("n", ".zero_()"),
        ("n, (2, m)", ".zero_()"),
        ("*n", ".zero_()"),
        ("n, *m", ".zero_()"),
    ],
)
def test_what_may_be_given_values_stays(given: str, after: str) -> None:
    text = _UNKNOWN_SIZES.format(given=given, after=after)
    assert migrate(text, "TP403").text == text


_WRAPPED_BELOW = """
import torch
from torch.autograd import Variable
def f(net, x, y, flag):
    n = len(y)
    it = x.data.new(n).long().zero_()
{below}
    return net(it)
"""


@pytest.mark.parametrize(
    "below",
    [
        "    out = net(Variable(it))",
        "    flag(1)\n    out = net(Variable(it.cuda(), requires_grad=False))[0]",
        "    it = Variable(it)",
    ],
)
def test_what_is_wrapped_below_is_made_of_a_tensor(below: str) -> None:
    text = _WRAPPED_BELOW.format(below=below)
    expected = text.replace("new(n).long().zero_()", "new_zeros(n, dtype=torch.long)")
    assert migrate(text, "TP403").text == expected


@pytest.mark.parametrize(
    "below",
    [
        "    out = net(it)",
        "    out = net(Variable(y))",
        "    out = net(Variable(y, it))",
        "    out = net(Variable(it[0]))",
        "    out = Variable(it) if flag else it",
        "    out = flag and Variable(it)",
        "    out = lambda: Variable(it)",
        "    if flag:\n        it = Variable(it)",
        "    it = y\n    out = net(Variable(it))",
        "    if flag:\n        it = y\n    out = net(Variable(it))",
    ],
)
def test_what_may_not_be_wrapped_below_may_be_no_tensor(below: str) -> None:
    text = _WRAPPED_BELOW.format(below=below)
    assert migrate(text, "TP403").text == text


_NAMED = """import torch
def f(init: torch.Tensor, n, m):
    new = init.data.new
    {above}
    state = new(n, 3).zero_()
    for i in range(n):
        parts = [new([1, 2]), {beside}]
        {below}
    return state, parts
"""


@pytest.mark.parametrize(
    ("above", "beside", "below", "is_told"),
    [
        ("pass", "new(n, 2)", "pass", True),
        ("pass", "m", "print(init)", True),
        ("init = init[0]", "m", "pass", False),
        ("pass", "m", "init = init + 1", False),
        ("pass", "new", "pass", False),
        ("pass", "new(m)", "pass", False),
        ("pass", "[new(n, 2) for new in m]", "pass", True),
        ("pass", "(lambda: new(n, 2))", "pass", False),
        ("new = new if n else m", "m", "pass", False),
    ],
)
def test_new_by_a_name_is_told_where_all_calls_are(
    above: str, beside: str, below: str, is_told: bool
) -> None:
    before = _NAMED.format(above=above, beside=beside, below=below)
    after = migrate(before, "TP403").text
    if not is_told:
        assert after == before
        return
    assert "init.data.new\n" not in after
    assert "    state = init.new_zeros(n, 3)\n" in after
    assert "        parts = [init.new_tensor([1, 2]), " in after


_LONG = "[words[w] if w in words else 1 for w in asked[i][:most] if w not in stops and w != blank]"


@pytest.mark.parametrize(
    ("first", "is_kept"),
    [
        (f"asked[i] = torch.LongTensor({_LONG})", True),
        (f"asked[j] = torch.LongTensor({_LONG})", False),
        (f"asked[i].append(torch.LongTensor({_LONG}))", False),
    ],
)
def test_the_same_place_of_several_lists_is_filled_alike(first: str, is_kept: bool) -> None:
    text = "import torch\ndef f(words, asked, labels, most, stops, blank, j):\n"
    text += f"    for i in range(len(asked)):\n        {first}\n        j += 1\n"
    text += "        labels[i] = torch.LongTensor([labels[i]])\n"
    after = migrate(text, "TP403").text
    assert ("labels[i] = torch.LongTensor([labels[i]])" in after) is is_kept
