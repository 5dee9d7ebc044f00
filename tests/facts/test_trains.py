"""Whether code trains is found out by what it calls, each function once."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.programs.training import trains


def last_call_trains(text: str) -> bool:
    """Whether the last statement of a module trains."""
    facts = facts_of(text)
    last = facts.tree.body[-1]
    assert isinstance(last, ast.Expr)
    return trains([last], facts)


def ladder(last: str) -> str:
    """Functions that each call the next one twice: a thousand billion ways down."""
    steps = [f"def f{n}():\n    f{n + 1}()\n    f{n + 1}()\n" for n in range(40)]
    return "".join([f"def f40():\n    {last}\n", *reversed(steps), "f0()\n"])


@pytest.mark.parametrize(
    "text",
    [
        "loss.backward()\n",
        ladder("loss.backward()"),
        "def f(n):\n    f(n - 1)\n    optimizer.step()\nf(3)\n",
        "def f(n):\n    g(n)\ndef g(n):\n    f(n)\n    loss.backward()\nf(3)\n",
        "class A:\n    def f(self):\n        pass\n"
        "class B(A):\n    def f(self):\n        self.loss.backward()\n"
        "A().f()\n",
    ],
)
def test_it_trains(text: str) -> None:
    assert last_call_trains(text)


@pytest.mark.parametrize(
    "text",
    [
        "print(loss)\n",
        ladder("print()"),
        "environment.step(action)\n",
        "def f(n):\n    f(n - 1)\nf(3)\n",
        "def f(n):\n    g(n)\ndef g(n):\n    f(n)\nf(3)\n",
        "def f():\n    loss.backward()\ndef g():\n    pass\ng()\n",
        "class A:\n    def f(self):\n        pass\n"
        "class B:\n    def f(self):\n        self.loss.backward()\n"
        "A().f()\n",
    ],
)
def test_it_does_not(text: str) -> None:
    assert not last_call_trains(text)
