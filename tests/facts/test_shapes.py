from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.tensors.arrays import is_array_of_values
from torchfix_codemods.facts.tensors.shapes import is_size

HEAD = """
import numpy as np
import torch
import torch.nn as nn
"""

_BATCH = "for i, batch in enumerate(torch.utils.data.DataLoader(data), 0):\n"


def asked(text: str) -> tuple[ast.expr, Facts]:
    """The argument of ``ask(…)`` in a text."""
    text = HEAD + textwrap.dedent(text)
    facts = WholeFacts(ast.parse(text), text)
    (call,) = (
        node
        for node in ast.walk(facts.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ask"
    )
    return call.args[0], facts


@pytest.mark.parametrize(
    "text",
    [
        "ask(3)",
        "ask(len(words) // 2)",
        "ask(x.size(0))",
        "ask(x.size(-1) + 2)",
        "ask(x.shape[0])",
        "ask(x.size()[1])",
        "def f(x):\n    sizes = x.size()\n    ask(sizes[1] * sizes[2])",
        "def f(x, y):\n    sizes = x.size()\n    if y:\n        sizes = y.shape\n    ask(sizes[-1])",
        "def f(x):\n    ask(x.numel())",
        "def f(x):\n    ask(x.dim() - 2)",
        "nn.Linear(n, m)\nask(n)",
        "torch.zeros(n, 2)\nask(n)",
        "def f(n):\n    torch.Tensor(2, n)\n    ask(n)",
        "def f(n):\n    for i in range(n):\n        ask(n * 2)",
        "class A:\n    def f(self):\n        nn.LSTM(2, self.n)\n    def g(self):\n        ask(self.n)",
        "args = parse()\ntorch.ones(args.n, 3)\nask(args.n)",
        "def f(x, n):\n    x.new_zeros(n, 1)\n    ask(n)",
        "def f(x, n):\n    x.new_empty(2, n, device=x.device)\n    ask(n)",
        "class A:\n    def f(self, n):\n        self.n = n\n        nn.Linear(n, 2)\n"
        "    def g(self):\n        ask(self.n)",
        "def f(n, xs):\n    xs = [0 for _ in range(n)]\n    ask(n)",
        "def f(n, xs):\n    xs = tuple(torch.zeros(x, n) for x in xs)\n    ask(n)",
        "def f(n, m):\n    torch.Tensor(4 * n, m)\n    ask(4 * n)",
        "def f(n, m):\n    nn.Linear(n + 2 * m, 3)\n    ask(m)",
        "def f(**options):\n    torch.Tensor(options['n'], options['m'])\n    ask(options['m'])",
        "class A:\n    def f(self, n, m):\n        self.n = n\n        self.m = m\n"
        "        torch.Tensor(self.n, self.m)\n        if self.m:\n            ask(n)",
    ],
)
def test_what_is_a_size(text: str) -> None:
    if text.startswith(("nn.Linear(n", "torch.zeros(n")):
        text = "n = given()\n" + text
    assert is_size(*asked(text))


@pytest.mark.parametrize(
    "text",
    [
        "ask(n)",
        "ask(0.5)",
        "ask(True)",
        "ask(n * 2)",
        "ask(x.size())",
        "ask(x.shape[:2])",
        "def f(x):\n    sizes = x.sizes()\n    ask(sizes[1])",
        "def f(x, sizes):\n    if x:\n        sizes = x.size()\n    ask(sizes[1])",
        "def f(x):\n    sizes = x.size()\n    sizes = g(sizes)\n    ask(sizes[1])",
        "def f(x):\n    ask(x.sum())",
        "def f(x):\n    ask(x.items())",
        "def f(x):\n    ask(x.numel(2))",
        "import net\nask(net.numel())",
        "class A:\n    def numel(self):\n        return [2]\ndef f(x):\n    ask(x.numel())",
        "ask(x.shape)",
        "class A:\n    def size(self, n):\n        return n\nask(x.size(0))",
        "def f(n):\n    nn.LayerNorm(n)\n    torch.zeros(n)\n    nn.Conv2d(1, 2, n)\n    ask(n)",
        "def f(n):\n    torch.zeros(n, 2)\n    n = g(n)\n    ask(n)",
        "def f(n):\n    torch.zeros(n, 2)\ndef g(n):\n    ask(n)",
        "def f(n):\n    if isinstance(n, int):\n        range(n)\n    ask(n)",
        "def f(n):\n    nn.Linear(*sizes, n)\n    ask(n)",
        "def range(n):\n    pass\ndef f(n):\n    range(n)\n    ask(n)",
        "def f(x: torch.Tensor):\n    range(x)\n    ask(x)",
        "def f(x, n):\n    x.new_zeros(n)\n    ask(n)",
        "def f(x, n):\n    x.new_full(n, 1)\n    ask(n)",
        "def f(x, n):\n    x.repeat(n, 1)\n    ask(n)",
        "class A:\n    def new_zeros(self, n, m):\n        pass\n"
        "def f(x, n):\n    x.new_zeros(n, 1)\n    ask(n)",
        "class A:\n    def f(self, n):\n        self.n = n\n        nn.Dropout(n)\n"
        "    def g(self):\n        ask(self.n)",
        "class A:\n    def f(self, n):\n        self.n = n\n        n = g(n)\n"
        "        nn.Linear(n, 2)\n        ask(self.n)",
        "class A:\n    def f(self, n):\n        self.n = [n]\n        nn.Linear(n, 2)\n"
        "    def g(self):\n        ask(self.n)",
        "def f(n, xs):\n    xs = [torch.zeros(n, 2) for n in xs]\n    ask(n)",
        "def f(n, xs):\n    xs = [[0 for _ in range(n)] for n in xs]\n    ask(n)",
        "def f(n, xs):\n    xs = lambda n: range(n)\n    ask(n)",
        "def f(n):\n    torch.Tensor(4 * n)\n    ask(n)",
        "def f(n, fast):\n    if fast:\n        torch.Tensor(4 * n, 2)\n    ask(n * 2)",
        "def f(n, m):\n    nn.Linear(int(n / m), 3)\n    ask(n)",
        "def f(**options):\n    torch.Tensor(options['n'], 2)\n    ask(options['m'])",
        "def f(i, names):\n    torch.Tensor(names[i], 2)\n    ask(names[i])",
        "def f(options):\n    torch.Tensor(options['n'], 2)\n    options['n'] = g()\n"
        "    ask(options['n'])",
        "def f(options):\n    torch.Tensor(options['n'], 2)\n    options = g()\n    ask(options['n'])",
        "class A:\n    def f(self, n):\n        self.n = n\n        self.n = len(n)\n"
        "        torch.Tensor(self.n, 2)\n        ask(n)",
        "class A:\n    def f(self, n):\n        torch.Tensor(self.n, 2)\n        self.n = n\n"
        "        n = g()\n        ask(n)",
        "class A:\n    def f(self):\n        range(self.n)\nclass B:\n    def g(self):\n        ask(self.n)",
    ],
)
def test_what_may_be_something_else(text: str) -> None:
    assert not is_size(*asked(text))


@pytest.mark.parametrize(
    "text",
    [
        "ask(np.zeros(3))",
        "ask(np.zeros((n, 2), dtype=int))",
        "ask(np.random.normal(0, 1, shape))",
        "ask(np.random.randint(0, 5, n))",
        "ask(np.array([1, 2]))",
        "ask(np.asarray([w for w in words]).astype(int))",
        "ask(np.concatenate(parts)[:2])",
        "ask(np.arange(n) * 2)",
        "ask(np.cumsum(n)[:-1])",
        "ask(np.reshape(x, [-1, n]))",
        "ask((np.reshape(x, (-1,)) + 1) / 2)",
        "ask(np.arange(n).reshape(-1, 2))",
        "ask(np.arange(n).reshape(-1))",
        "ask(np.transpose(x, [1, 0]))",
        "ask(np.expand_dims(n, 0))",
        "ask(np.where(mask)[1])",
        "order = np.array(sorted(range(5)))\nask(np.argsort(order))",
        "ask(np.argsort(-np.array(n)))",
        "a = np.arange(3)\nask(a)",
        "ask(np.random.choice(order, n // 2))",
        "def f(size=1):\n    return np.random.choice(order, size=size)\nask(f(n))",
        "ask(np.roll(x, 1, axis=0))",
        "ask(np.roll(np.arange(n), 1))",
        "ask(np.exp(np.arange(n)))",
        "ask(np.outer(x, y))",
        _BATCH + "    ask(np.array(batch['image']))",
        "def f(x: torch.Tensor):\n    ask(x.view(2, -1).numpy())",
    ],
)
def test_what_is_an_array(text: str) -> None:
    assert is_array_of_values(*asked(text))


@pytest.mark.parametrize(
    "text",
    [
        "ask(x)",
        "ask([1, 2])",
        "ask(np.array(n))",
        "ask(np.max(a))",
        "ask(np.flip(n))",
        "ask(np.argsort(n))",
        "ask(np.sort(np.array(n)))",
        "ask(np.reshape(x, shape))",
        "ask(np.reshape(x, ()))",
        "ask(np.reshape(x, [*shape]))",
        "ask(x.reshape(-1, 2))",
        "ask(np.array(n).reshape(shape))",
        "ask(np.transpose(x))",
        "ask(np.arange(3)[0])",
        "ask(np.where(a, b, c)[0])",
        "ask(np.zeros(shape, dtype=int))",
        "ask(np.full(shape, 3))",
        "ask(np.random.randint(5))",
        "ask(np.random.choice(order))",
        "ask(np.random.choice(order, size=None))",
        "def f(size=None):\n    ask(np.random.choice(order, size))",
        "def f(size=None):\n    return np.random.randint(0, 5, size)\nask(f())",
        "size = None if rare else 3\nask(np.random.choice(order, size))",
        "ask(np.roll(x, 1))",
        "ask(np.roll(x, 1, axis=None))",
        "ask(np.exp(n))",
        _BATCH + "    ask(np.array(batch['image'][0]))",
        _BATCH.replace("data)", "data, collate_fn=own)") + "    ask(np.array(batch['image']))",
        _BATCH.replace("data)", "data, batch_size=None)") + "    ask(np.array(batch['image']))",
        _BATCH + "    batch['image'] = 3\n    ask(np.array(batch['image']))",
        "ask(np.int64(5))",
        "ask(np.arange(3).sum())",
        "def f(x: torch.Tensor):\n    ask(x.numpy())",
        "def f(x: torch.Tensor):\n    ask(x.sum().numpy())",
        "a = np.arange(3)\nif b:\n    a = np.max(a)\nask(a)",
    ],
)
def test_what_may_be_one_number(text: str) -> None:
    assert not is_array_of_values(*asked(text))
