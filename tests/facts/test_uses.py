"""Whether a number could stand for a tensor, wherever its value goes."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.paths.numbers import is_used_as_number
from torchfix_codemods.facts.paths.uses import uses_of_attribute
from torchfix_codemods.facts.programs.whole import WholeFacts

HEAD = """
import logging
import math
import torch
from matplotlib import pyplot as plt
log = logging.getLogger()
def ratio(a, of=2):
    return a / of
def sized(a):
    return a.size()
def twice(a):
    return twice(a)
"""


def _is_used_as_number(text: str) -> bool:
    """Whether that is so of ``hits.sum()`` in the text."""
    text = HEAD + textwrap.dedent(text)
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    return is_used_as_number(facts, next(c for c in calls if ast.unparse(c) == "hits.sum()"))


@pytest.mark.parametrize(
    "text",
    [
        "hits.sum()",
        "print(hits.sum())",
        "print(twice(hits.sum()))",
        "print('%d' % hits.sum())",
        "print('%d of %d' % (hits.sum(), 2))",
        "print('{}'.format(hits.sum()))",
        "print('{n}'.format(n=hits.sum()))",
        "print(f'{hits.sum()}')",
        "n = float(hits.sum()) + 1",
        "print(100 * hits.sum() / 3)",
        "print(-hits.sum())",
        "print(not hits.sum())",
        "x = hits.sum() > 3",
        "if hits.sum():\n    pass",
        "if hits.sum() and a:\n    pass",
        "while hits.sum():\n    pass",
        "assert hits.sum()",
        "print(hits.sum() if a else 0)",
        "print(a if hits.sum() else b)",
        "print(round(hits.sum(), 2))",
        "math.sqrt(hits.sum())",
        "log.info(hits.sum())",
        "plt.plot(hits.sum())",
        "logging.info('%d', hits.sum())",
        "print(ratio(hits.sum()))",
        "print(ratio(1, of=hits.sum()))",
        "a[hits.sum()]",
        "a[0, hits.sum()]",
        "a[: hits.sum()]",
        "n = hits.sum()\na[n].item()",
        "n = hits.sum()\nprint(n)",
        "n = m = hits.sum()\nprint(n, m)",
        "n = hits.sum()\nn += 1\nprint(n)",
        "n = 0\nfor hits in x:\n    n += hits.sum()\nprint(n)",
        "results = {}\nresults['hits'] = hits.sum()\nprint(results['hits'])",
        "results = {'hits': hits.sum()}\nprint(results['hits'])",
        "meter.hits = hits.sum()\nprint(meter.hits)",
        """
        def count(hits):
            return hits.sum()
        print(count(x))
        """,
        """
        def count(hits):
            return hits.sum(), 3
        n, m = count(x)
        print(n)
        m.item()
        count(x)
        """,
        """
        class Counter:
            def add(self, n):
                self.n = n
            def run(self, hits):
                self.add(hits.sum())
        """,
        """
        class Counter:
            @staticmethod
            def add(n):
                print(n)
            def run(self, hits):
                self.add(hits.sum())
        """,
    ],
)
def test_a_number_would_do(text: str) -> None:
    assert _is_used_as_number(text)


@pytest.mark.parametrize(
    "text",
    [
        "hits.sum().item()",
        "print(hits.sum().item())",
        "(hits.sum() / 2).item()",
        "(-hits.sum()).item()",
        "(hits.sum() or a).item()",
        "(hits.sum() if a else b).item()",
        "(a if b else hits.sum()).item()",
        "x = hits.sum() is None",
        "{0: a}[hits.sum()]",
        "hits.sum()[0]",
        "torch.cat(hits.sum())",
        "unknown(hits.sum())",
        "unknown(n=hits.sum())",
        "a.unknown(hits.sum())",
        "torch.add(1, other=hits.sum())",
        "hits.sum()()",
        "from tensorboardX import SummaryWriter\nSummaryWriter().add_scalar('a', hits.sum())",
        "from pandas import Series\nSeries([1]).add(hits.sum())",
        "round(hits.sum()).item()",
        "def round(a):\n    return a.item()\nround(hits.sum())",
        "def print(a):\n    a.item()\nprint(n=hits.sum())",
        "def keep(*a):\n    kept.append(torch.stack(a))\nkeep(hits.sum())",
        "def keep(**a):\n    kept.append(a)\nkeep(n=hits.sum())",
        "def keep(a, n):\n    kept.append(n)\nkeep(1, n=hits.sum())",
        "sized(hits.sum())",
        "print(sized(a=hits.sum()))",
        "ratio(hits.sum()).item()",
        "a = (hits.sum(), 1)",
        "a = [hits.sum()]",
        "a = {**hits.sum()}",
        "a = {hits.sum(): 1}",
        "n = hits.sum()\nn.item()",
        "n = m = hits.sum()\nprint(n)\nm.item()",
        "n = hits.sum()\nn += 1\nn.item()",
        "a, b = hits.sum()",
        "a[0] = hits.sum()",
        "results = {}\nresults['hits'] = hits.sum()\nprint(results['hits'].item())",
        "results = {'hits': hits.sum()}\nprint(results['hits'].item())",
        "meter.hits = hits.sum()\nprint(meter.hits.item())",
        "for n in hits.sum():\n    pass",
        "lambda: hits.sum()",
        """
        def count(hits):
            return hits.sum()
        count(x).item()
        """,
        """
        def count(hits):
            return hits.sum(), 3
        n, m = count(x)
        n.item()
        """,
        """
        def count(hits):
            return hits.sum(), 3
        both = count(x)
        """,
        """
        def count(hits):
            return hits.sum(), 3
        print(count(x))
        """,
        """
        def count(hits):
            return 3, hits.sum()
        (n,) = count(x)
        """,
        """
        def count(hits):
            return 3, hits.sum()
        n, *m = count(x)
        """,
        """
        class Counter:
            def add(self, n):
                print(n.item())
            def run(self, hits):
                self.add(hits.sum())
        """,
    ],
)
def test_a_number_would_perhaps_not_do(text: str) -> None:
    assert not _is_used_as_number(text)


def test_a_sum_that_is_calculated_with_very_often_is_given_up() -> None:
    def steps(count: int) -> str:
        return "".join(f"n{i + 1} = n{i} + 1\n" for i in range(count)) + f"print(n{count})"

    assert _is_used_as_number("n0 = hits.sum()\n" + steps(3))
    assert not _is_used_as_number("n0 = hits.sum()\n" + steps(600))


@pytest.mark.parametrize(
    ("method", "lines"),
    [
        ("def run(self):\n        self.n = 1\n", [5, 7]),
        ("def run(this):\n        this.n = 1\n", []),
        ("def run(self, other):\n        other.n = 1\n", []),
        ("def run(self):\n        a.b.n = 1\n", []),
        ("@staticmethod\n    def run(self):\n        self.n = 1\n", []),
    ],
)
def test_reads_of_an_attribute_of_the_own_object(method: str, lines: list[int]) -> None:
    text = (
        "class A:\n    def first(self):\n        self.n = 0\n        self.m = 1\n"
        "        print(self.n)\n    def second(self, other):\n        print(self.n, other.n)\n"
        f"    {method}"
    )
    facts = WholeFacts(ast.parse(text), text)
    nodes = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Attribute) and n.attr == "n"]
    target = max((n for n in nodes if isinstance(n.ctx, ast.Store)), key=lambda n: n.lineno)
    assert [n.lineno for n in uses_of_attribute(facts, target)] == lines


def test_an_attribute_outside_of_a_class_has_no_own_object() -> None:
    text = "def f(self):\n    self.n = 1\n    print(self.n)\nself.n = 2\nprint(self.n)\n"
    facts = WholeFacts(ast.parse(text), text)
    nodes = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Attribute)]
    targets = [n for n in nodes if isinstance(n.ctx, ast.Store)]
    assert len(targets) == 2
    assert not any(uses_of_attribute(facts, target) for target in targets)
