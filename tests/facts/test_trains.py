"""Whether code trains is found out by what it calls, each function once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.project.index import Index


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
        "class A:\n    def backward(self, x):\n        x.backward()\nA().backward(y)\n",
        "class A:\n    def backward(self, x):\n        pass\n"
        "class B(A):\n    def backward(self, x):\n        x.mean().backward()\n"
        "A().backward(y)\n",
        "class A:\n    pass\nA().backward()\n",
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
        "class A:\n    def backward(self, x):\n        return x.t()\nA().backward(y)\n",
        "class A:\n    def f(self, x):\n        return self.backward(x)\n"
        "    def backward(self, x):\n        raise NotImplementedError\n"
        "class B(A):\n    def backward(self, x):\n        return x.t()\n"
        "A().f(y)\n",
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


_BASE = """
class Turned:
    def __call__(self, x):
        return self.backward(x)
    def backward(self, x):
        return x.t()
"""


@pytest.mark.parametrize(
    ("below", "is_training"),
    [
        ("def backward(self, x):\n        x.mean().backward()", True),
        ("def forward(self, x):\n        return x.t()", False),
    ],
)
def test_another_file_may_have_a_class_below(tmp_path: Path, below: str, is_training: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "turned.py").write_text(_BASE + "Turned().backward(x)\n")
    other = f"from turned import Turned\nclass Flipped(Turned):\n    {below}\n"
    (tmp_path / "flipped.py").write_text(other)
    facts = Index().facts((tmp_path / "turned.py").resolve())
    assert facts is not None
    assert trains([facts.tree.body[-1]], facts) == is_training
