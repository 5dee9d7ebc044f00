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


_FLAG = "def run(x, train=False, **more):\n    loss = net(x)\n    if {}:\n        loss.backward()\n"


@pytest.mark.parametrize(
    "text",
    [
        _FLAG.format("train") + "run(x, train=False)\n",
        _FLAG.format("train") + "run(x)\n",
        _FLAG.format("train and x is not None") + "run(x, False, y=2)\n",
        "def run(x, train):\n    if not train:\n        return net(x)\n    net(x).backward()\nrun(x, False)\n",
        "class A:\n    def run(self, train):\n        if train:\n            self.fit()\n"
        "    def fit(self):\n        self.loss.backward()\nA().run(False)\n",
    ],
)
def test_what_a_call_says_by_its_flag_does_not_train(text: str) -> None:
    assert not last_call_trains(text)


@pytest.mark.parametrize(
    "text",
    [
        _FLAG.format("train") + "run(x, train=True)\n",
        _FLAG.format("train") + "run(x, train=other)\n",
        _FLAG.format("train") + "run(x, **options)\n",
        _FLAG.format("train") + "run(*given)\n",
        _FLAG.format("train or x is not None") + "run(x, False)\n",
        _FLAG.format("train") + "def both():\n    run(x, False)\n    run(x, True)\nboth()\n",
        _FLAG.format("train") + "def both():\n    run(x, True)\n    run(x, False)\nboth()\n",
        "def run(train):\n    train = train or WANTED\n    if train:\n        loss.backward()\nrun(False)\n",
        "def run(train):\n    def inner(train):\n        if train:\n            loss.backward()\n"
        "    inner(True)\nrun(False)\n",
        "import functools\n"
        + _FLAG.format("train")
        + "f = functools.partial(run, train=True)\nf(x)\n",
        _FLAG.format("train") + "list(map(run, xs, flags))\n",
        "import ours\n@ours.filled\n" + _FLAG.format("train") + "run(x)\n",
        "class A:\n    def __init__(self, f):\n        self.f = f\n    def go(self, x):\n"
        "        self.f(x)\n" + _FLAG.format("train") + "A(lambda x: run(x, True)).go(1)\n",
        "class A:\n    def run(self, train=False):\n        pass\n"
        "class B(A):\n    def run(self, train=False, fit=True):\n        if fit:\n"
        "            self.loss.backward()\nA().run(train=False)\n",
    ],
)
def test_what_a_flag_may_let_train_does(text: str) -> None:
    assert last_call_trains(text)
