"""What a call shows about the arguments that it gets."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Tensor, Unknown, Value

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def value_of(text: str) -> Value:
    """The value of the argument of ``look(…)``."""
    facts = WholeFacts(ast.parse(HEAD + text), HEAD + text)
    (call,) = [c for c in ast.walk(facts.tree) if isinstance(c, ast.Call) and _is_look(c)]
    return facts.value(call.args[0])


def _is_look(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "look"


LAYER = "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"


@pytest.mark.parametrize(
    "text",
    [
        LAYER + "        self.fc = nn.Linear(1, 2)\n    def forward(self, x):\n"
        "        look(x)\n        return self.fc(x)",
        LAYER + "        self.fc = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU())\n"
        "    def forward(self, x):\n        look(x)\n        return self.fc(x)",
        "def g(x):\n    return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(x)",
        "def g(y, x):\n    return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(1, x=x)",
        "class N(nn.Module):\n    def forward(self, x):\n        return F.relu(x)\n"
        "net = N()\ndef f(x):\n    look(x)\n    net(x)",
        "class A:\n    def push(self, x):\n        self.x = x.unsqueeze(0)\n"
        "a = A()\ndef f(x):\n    look(x)\n    a.push(x)",
        "class A:\n    def __init__(self, x):\n        self.x = x.unsqueeze(0)\n"
        "def f(x):\n    look(x)\n    A(x)",
        "def h(x):\n    return x.unsqueeze(0)\ndef g(x):\n    return h(x)\n"
        "def f(x):\n    look(x)\n    g(x)",
        "def f(x, y):\n    look(y)\n    return torch.cat((x, y), 1)",
        "def f(x, y):\n    look(y)\n    return torch.equal(x, y)",
        "def f(x, y):\n    look(y)\n    return F.cross_entropy(x, y)",
        "def f(x, y):\n    look(y)\n    return x.mm(y)",
        "def f(x, y):\n    look(y)\n    return x.index_select(0, y)",
        "def f(m):\n    look(nn.init.normal_(m.weight))\nnn.Linear(1, 2).apply(f)",
        "gradients = torch.autograd.grad(y, x)\nlook(gradients[0])",
        "class A:\n    def __init__(self):\n        self.x = torch.zeros(2)\n"
        "    def cuda(self):\n        self.x = self.x.cuda()\n        look(self.x)",
        "T = torch.cuda.FloatTensor if cuda else torch.Tensor\nlook(T(2, 3))",
        "if cuda:\n    T = torch.cuda.FloatTensor\nelse:\n    T = torch.FloatTensor\nlook(T(2, 3))",
        "if cuda:\n    T = torch.cuda.FloatTensor\nelse:\n    T, y = torch.FloatTensor, 1\nlook(T([2]))",
        "T = torch.FloatTensor\nif cuda:\n    T = torch.cuda.LongTensor\ndef f():\n    look(T([2]))",
        "tt = torch.cuda if cuda else torch\nlook(tt.ByteTensor(2, 3))",
        "if cuda:\n    tt = torch.cuda\nelse:\n    tt = torch\ndef f():\n    look(tt.FloatTensor([2]))",
        "class A:\n    def __init__(self, cuda):\n        self.tt = torch.cuda if cuda else torch\n"
        "    def f(self):\n        look(self.tt.LongTensor(3))",
    ],
)
def test_tensors(text: str) -> None:
    assert isinstance(value_of(text), Tensor)


@pytest.mark.parametrize(
    "text",
    [
        # A recurrent layer takes packed sequences as well.
        LAYER + "        self.rnn = nn.LSTM(1, 2)\n    def forward(self, x):\n"
        "        look(x)\n        return self.rnn(x)",
        "def g(x):\n    if a:\n        return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(x)",
        "def g(x):\n    if a:\n        return x\n    return x.unsqueeze(0)\n"
        "def f(x):\n    look(x)\n    g(x)",
        "def g(x):\n    x = h(x)\n    return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(x)",
        "def g(x):\n    yield x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(x)",
        "@wrap\ndef g(x):\n    return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(x)",
        "def g(x):\n    if isinstance(x, list):\n        x = x[0]\n    return x.unsqueeze(0)\n"
        "def f(x):\n    look(x)\n    g(x)",
        "def g(x, y):\n    return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(1, x)",
        "if cuda:\n    T = torch.cuda.FloatTensor\nelse:\n    T = numpy.array\nlook(T([2]))",
        "tt = torch.cuda if cuda else numpy\nlook(tt.ByteTensor(2, 3))",
        "tt = torch.cuda if cuda else torch\nlook(tt.unknown(2, 3))",
        "tt = torch.cuda if cuda else torch\nlook(other.tt.ByteTensor(2, 3))",
        "def f(tt=None):\n    if cuda:\n        tt = torch.cuda\n    look(tt.ByteTensor(2, 3))",
        "class A:\n    def __init__(self, tt):\n        self.tt = torch.cuda if cuda else torch\n"
        "    def f(self):\n        look(self.tt.LongTensor(3))\na.tt = tt",
        "class A:\n    def __init__(self, tt):\n        self.tt = tt\n"
        "    def f(self):\n        look(self.tt.LongTensor(3))",
        "T = torch.FloatTensor\nfor T in types:\n    look(T([2]))",
        "T = torch.FloatTensor\nif cuda:\n    T = sorted\nlook(T([2]))",
        "if cuda:\n    T = torch.FloatTensor\nelse:\n    def T(x): pass\nlook(T([2]))",
        "def g(x):\n    return g(x)\ndef f(x):\n    look(x)\n    g(x)",
        "def g(x):\n    return x.unsqueeze(0)\ndef f(x):\n    look(x)\n    g(*x)",
        "gradients = torch.autograd.grad(y, x, allow_unused=True)\nlook(gradients[0])",
        LAYER + "        self.net = nn.Sequential(Own(), nn.ReLU())\n"
        "    def forward(self, x):\n        look(x)\n        return self.net(x)",
        "def f(x, y):\n    look(y)\n    return torch.cat(x, y)",
        "def f(x, y):\n    look(y)\n    return torch.add(x, y)",
        "def f(x, y):\n    look(y)\n    return torch.equal(*x, y)",
        "def f(x, y):\n    look(y)\n    return x.copy_(y)",
        "def f(x, y):\n    look(y)\n    return x.index_select(y, 0)",
        "class M:\n    def mm(self, y): pass\ndef f(x, y):\n    look(y)\n    return x.mm(y)",
        "def f(m):\n    look(m.weight)\nnn.Linear(1, 2).apply(f)",
        "def f(layers):\n    look(nn.Sequential(*layers)(torch.ones(1)))",
    ],
)
def test_unknown(text: str) -> None:
    assert isinstance(value_of(text), Unknown)
