from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

_UNDATED = """\
import torch
from torch.autograd import Variable
x, y = torch.rand(3), torch.rand(3)
a, b = x > 0.1, y.gt(0.2)
m = x > 0.5
k = y.lt(0.5)
"""
#: ``volatile`` shows that the file is for torch 0.3.
_HEAD = f"{_UNDATED}v = Variable(x, volatile=True)\n"


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


test_rewrites = rewrites(
    "TP405",
    {
        "both": _line(
            "i = ((x < 0.5) + (y >= 0.2) == 2).nonzero()",
            "i = ((x < 0.5) & (y >= 0.2)).nonzero()",
        ),
        "what only a tensor does": _line(
            "def f(p, c):\n    return ((p < c.hi) + (p >= c.lo) == 2).nonzero().view(-1)",
            "def f(p, c):\n    return ((p < c.hi) & (p >= c.lo)).nonzero().view(-1)",
        ),
        "parentheses": _line("i = ((x < 1)+(y > 0)) == 2", "i = (x < 1)&(y > 0)"),
        "method": _line("i = (m + k).eq(2)", "i = m & k"),
        "method of the result": _line("i = (m + k).ge(2).sum()", "i = (m & k).sum()"),
        "operand": _line("i = -(m + k).eq(2)", "i = -(m & k)"),
        "more than one": _line("i = m + k > 1", "i = m & k"),
        "three": _line("i = (m + k) + (x > 3) == 3.0", "i = (m & k) & (x > 3)"),
        "one of two": _line("i = x[(m + k) == 1]", "i = x[m ^ k]"),
        "combined": _line("i = (m & k) + (y < x) == 2", "i = (m & k) & (y < x)"),
        "lines": _line("i = ((x < 1) +\n     (y > 0)) == 2", "i = ((x < 1) &\n     (y > 0))"),
        "condition": _line("if not (m + k == 2).any(): print()", "if not (m & k).any(): print()"),
    },
)

test_keeps = keeps(
    "TP405",
    {
        name: f"{_HEAD}{code}\n"
        for name, code in {
            "either": "i = (m + k) > 0, m + k == 0, (m + k).ge(1), (m + k) != 0",
            "one of three": "i = (m + k + (x > 3)) == 1",
            "two of three": "i = (m + k + (x > 3)) >= 2",
            "bytes": "i = (m.byte() + k.byte()) == 2, (m + k.int()).eq(2)",
            "numbers": "i = x + y == 2, x + m == 2, 1 + 1 == 2",
            "sum of a sum": "s = m + k\ni = s + m == 2, m + (m + k) == 2",
            "bits": "i = ~m + k == 2",
            "named": "s = m + k\ni = s == 2",
            "handed on": "i = (m + k).detach() > 1",
            "comment": "i = ((x < 1) +  # left\n     (y > 0)) == 2",
            "unknown": "def f(p, q):\n    return p + q == 2, (p > 0) + (q > 0) == 2",
            "arrays": "def f(p, q):\n    return ((p > 0) + (q > 0) == 2).nonzero()[0]",
            "tuple": "def f(p, q):\n    return ((p > 0) + (q > 0) == 2).nonzero().index(1)",
            "numbers of a parameter": "def f(p, q):\n    return (p + q == 2).nonzero().view(-1)",
            "no number": "i = m + k == y, (m + k).eq(y), (m + k).eq()",
            "chain": "i = 0 < (m + k) == 2",
        }.items()
    },
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("i = (m + k) == 2", "write m & k for the comparison"),
        ("i = ((x > 1) + k).gt(1)", "write (x > 1) & k for the comparison"),
        ("i = (m + k) == 1", "write m ^ k for the comparison"),
        (
            "i = ((x < options.train.high) + (x >= options.train.low) == 2)",
            "write & for + and leave out the comparison",
        ),
        ("i = (m + k + (x > 3)) >= 2", "write m.int() + … to count"),
        ("i = (m + k) != 2", "write m.int() + … to count"),
        ("def f():\n    s = (x > 1) + k\n    return s == 2", "write (x > 1).int() + … to count"),
        ("i = ~m + k == 2", "to count"),
        ("i = (m + k).detach() > 1", "write m & k"),
        ("i = ((x == 0) + (y == 0)).detach().data == 2", "write (x == 0) & (y == 0)"),
        ("i = (m + k).view(-1).gt(1)", "write m & k"),
    ],
)
def test_in_a_file_of_any_age_it_is_told(code: str, said: str) -> None:
    text = f"{_UNDATED}{code}\n"
    assert migrate(text, "TP405").text == text
    (finding,) = advice("TP405", text)
    assert said in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "i = (m + k) > 0",
        "i = m + k == 0",
        "i = m == 1",
        "i = (x + y) == 2",
        "i = (m + k).gt(0)",
        "i = (m + k).ge(1).sum()",
        "i = (m + k).detach().ne(0)",
        "i = (m + k).detach() > 0",
        "i = (m + k + (x > 3)).gt(0), m + k + (x > 3) > 0",
        "i = (x > 2) + (x > 3) + m\ni = (i > 0)",
        "i = m + k\nprint(i.eq(0), i.detach() != 0)",
        "i = m + k + (x > 3)\ny[i] = 0",
        "def f():\n    i = m + k\n    return x[i.view(-1)], i.any(), i.nonzero(), len(i)",
    ],
)
def test_what_bool_answers_as_well_is_not_told(code: str) -> None:
    assert not advice("TP405", f"{_UNDATED}{code}\n")


@pytest.mark.parametrize(
    "code",
    [
        "i = (m + k).gt(y)",
        "i = (m + k).detach() + 1 > 1",
        "i = (m + k).gt(0), (m + k).float()",
        "i = m + k\nprint(i > 0, i.float())",
        "i = m + k + (x > 3)\nprint(i > 0, i)",
        "i = (x > 2) + (x > 3) + m\nprint(i)",
        "i = m + k\nprint(i > 0)\ni += (x > 3)\nprint(i)",
        "def f():\n    i = m + k\n    return i.float()",
        "def f():\n    i = m + k + (x > 3)\n    i = i.view(-1)\n    return x[i], torch.sum(i)",
    ],
)
def test_a_sum_that_may_count_is_told_once(code: str) -> None:
    (finding,) = advice("TP405", f"{_UNDATED}{code}\n")
    assert "to count" in finding.message


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("s = 1 - ((x == 1) + (x == 2)).float()", False),
        ("s = (x.eq(1) + x.eq(y)).float()", False),
        ("s = ((x < 0) + (x > 1)).float()", False),
        ("s = ((x > 1) + (x.le(1))).float()", False),
        ("def f(low, high):\n    return ((x < low) + (x > high)).float()", False),
        ("a = x == 1\nb = x == 2\ns = (a + b + (x == 3)).float()", False),
        ("s = ((x == 1) + (x == 1)).float()", True),
        ("s = ((x == 1) + (y == 2)).float()", True),
        ("s = ((x == 1) + (x > 0)).float()", True),
        ("s = ((x < 2) + (x > 1)).float()", True),
        ("s = ((x <= 1) + (x >= 1)).float()", True),
        ("s = ((x < y) + (x > y.exp()) + (x == 2)).float()", True),
        ("s = ((x == 1) + (x == 2) + m).float()", True),
        ("def f(low):\n    return ((x <= low) + (x >= low)).float()", True),
    ],
)
def test_masks_that_exclude_each_other_are_not_told(code: str, is_told: bool) -> None:
    assert bool(advice("TP405", f"{_UNDATED}{code}\n")) is is_told


def test_the_claim() -> None:
    (finding,) = migrate(f"{_HEAD}i = m + k == 2\n", "TP405").findings
    assert finding.numerics is Numerics.PINNED


@pytest.mark.parametrize(
    "line",
    [
        "x[m + k] = 2",
        "z = x[(x > 1) + (x < 0)]",
        "s = ((x > 1) + (x < 0)).detach()\nx[s] = 2\nprint(y[s.cpu()])",
        "x.masked_fill_(m + k, 0)",
        "z = torch.where(m + k, x, y)",
    ],
)
def test_a_sum_that_only_selects_is_no_finding(line: str) -> None:
    assert not advice("TP405", f"{_UNDATED}{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "s = m + k",
        "s = m + k\nx[s] = 2\nprint(s)",
        "s = m + k\ns += m\nx[s] = 2",
        "x[(m + k).long()] = 2",
        "z = x * (m + k).float()",
        "z = [m + k]",
        "x[y] = m + k",
    ],
)
def test_a_sum_that_may_count_is_told(line: str) -> None:
    assert any("no count but a mask" in f.message for f in advice("TP405", f"{_UNDATED}{line}\n"))
