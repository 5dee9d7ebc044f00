"""Whether memory that is shared with the graph is only read."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.paths.writes import is_modified
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.autograd.questions.reads import is_only_read

HEAD = """
import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn as nn
from torchvision.utils import save_image
net = nn.Linear(2, 2)
w = net.weight
n = torch.ones(2)
def reads(a, b=None):
    return a.sum()
def writes(a, b=None):
    a.zero_()
class Reader(nn.Module):
    def forward(self, a):
        return a.sum()
class Head(nn.Module):
    pass
def again(a):
    return again(a)
class Meter:
    def __init__(self, a=None):
        self.total = 0
    def update(self, a):
        self.total = a.sum()
    def keep(self, a):
        self.a = a
"""


def _is_only_read(text: str, strict: bool) -> bool:
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    nodes = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Attribute) and n.attr == "data"]
    return is_only_read(facts, max(nodes, key=lambda n: (n.lineno, n.col_offset)), strict)


READ = (
    "a = w.data.acos()",
    "a = w.data.flip(0)\na.zero_()",
    "a = w.data.movedim(0, 1)\nprint(a)",
    "w.data.tolist()",
    "Meter().update(w.data)",
    "Meter().update(a=w.data)",
    "Meter(w.data)",
    "print(w.data)",
    "w.data.size()",
    "w.data.shape",
    "w.data.sum()",
    "w.data[0].sum()",
    "w.data.view(-1).sum()",
    "n[w.data]",
    "n[w.data:]",
    "-w.data",
    "w.data > 1",
    "if w.data.sum() > 1:\n    pass",
    "'%s' % w.data",
    "'%s %s' % (w.data, 1)",
    "f'{w.data}'",
    "reads(w.data)",
    "reads(b=1, a=w.data)",
    "len(w.data)",
    "w.data.data.sum()",
    "w.data.T.sum()",
    "torch.cat([w.data, n])",
    "torch.autograd.Variable(w.data).sum()",
    "torch.nn.functional.dropout(w.data).sum()",
    "torch.ger(w.data, n)",
    "torch.ger(w.data, w.data)",
    "np.dot(w.data, n)",
    "plt.imshow(w.data)",
    "save_image(w.data, 'x.png')",
    "n.eq(w.data)",
    "n.copy_(w.data)",
    "n.mul_(w.data)",
    "n.new_tensor(w.data)",
    "n.mm(w.data)",
    "np.ones(2).dot(w.data)",
    "'{}'.format(w.data)",
    "again(w.data)",
    "a = w.data\nfor i in range(2):\n    a = a[0]",
)

READ_NOW = (
    "y = w.data * w",
    "n += w.data",
    "torch.cat([w.data, w])",
    "w.data.mul(w)",
    "Reader()(w.data)",
    "Reader()(a=w.data)",
    "nn.Linear(2, 2)(w.data)",
    "nn.MSELoss()(w.data, n)",
    "nn.ReLU()(w.data)",
    "nn.ReLU(False)(w.data)",
    "nn.Sequential(nn.Linear(2, 2), nn.ReLU(True))(w.data)",
    "def f():\n    return torch.autograd.Variable(w.data)",
    "torch.ger(w.data, w)",
    "n[0] = w.data",
    "w.mm(w.data)",
    "n.mul_(w.data)\nn.mul_(w)",
    "w.mul_(w.data)",
)

WRITTEN = (
    "Meter().keep(w.data)",
    "Meter().update(*w.data)",
    "meter.update(w.data)",
    "class Low(Meter):\n    def update(self, a):\n        a.zero_()\nMeter().update(w.data)",
    "class Low(Meter):\n    def update(self, *a):\n        pass\nMeter().update(w.data)",
    "w.data.add_(1)",
    "w.data.view(-1).add_(1)",
    "w.data[0] = 1",
    "w.data += 1",
    "w.data is n",
    "writes(w.data)",
    "writes(b=1, a=w.data)",
    "unknown(w.data)",
    "w.data.unknown()",
    "w.data.unknown",
    "[w.data]",
    "torch.add(n, 1, out=w.data)",
    "reads(*w.data)",
    "def print(x):\n    x.zero_()\nprint(w.data)",
    "torch.autograd.Variable(w.data, requires_grad=True).sum()",
    "torch.autograd.Variable(w.data).zero_()",
    "torch.relu_(w.data)",
    "torch.nn.functional.relu(w.data, inplace=True)",
    "w.data.movedim(0, 1).zero_()",
    "w.data.storage()",
    "w.data.requires_grad_()",
    "w.data.unknown()",
    "torch.nn.functional.dropout(w.data).zero_()",
    "torch.add(w.data, 1, out=n)",
    "torch.Tensor(w.data)",
    "[w.data] + [n]",
    "torch.cat((n, [w.data]))",
    "torch.broadcast_tensors([w.data, n])",
    "n[w.data] = 1",
    "class A(metaclass=w.data):\n    pass",
    "reads(1, 2, w.data)",
    "Head()(w.data)",
    "nn.ReLU(True)(w.data)",
    "nn.ReLU(inplace=True)(w.data)",
    "nn.ReLU(k)(w.data)",
    "nn.Sequential(nn.ReLU(True), nn.Linear(2, 2))(w.data)",
    "nn.Sequential()(w.data)",
    "nn.Identity()(w.data)",
    "n.set(w.data)",
    "n.unknown_of(w.data)",
    "unknown().eq(w.data)",
    "(lambda: 1)()(w.data)",
    "a = b = w.data",
    "a = w.data\na += 1",
    "a = w.data\na.zero_()",
    "net.kept = w.data",
    "kept = {}\nkept[0] = w.data",
    "for a in w.data:\n    f(a)",
    "def f(m: nn.Module):\n    m(w.data)",
)


@pytest.mark.parametrize("text", READ)
def test_read_whatever_comes_later(text: str) -> None:
    assert _is_only_read(text, strict=True)
    assert _is_only_read(text, strict=False)


@pytest.mark.parametrize("text", READ_NOW)
def test_read_but_kept_by_autograd(text: str) -> None:
    assert _is_only_read(text, strict=False)
    assert not _is_only_read(text, strict=True)


@pytest.mark.parametrize("text", WRITTEN)
def test_perhaps_written(text: str) -> None:
    assert not _is_only_read(text, strict=False)
    assert not _is_only_read(text, strict=True)


def _is_modified(text: str) -> bool:
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    return is_modified(facts, ast.Name("n"))


@pytest.mark.parametrize(
    "text",
    [
        "n.zero_()",
        "n += 1",
        "n[0] = 1",
        "torch.add(w, 1, out=n)",
        "torch.relu_(n)",
        "torch.nn.init.zeros_(n)",
        "torch.nn.functional.relu(n, inplace=True)",
        "torch.nn.functional.relu(n, inplace=k)",
        "torch.nn.functional.relu(n, True)",
        "relu = nn.ReLU(inplace=True)\nrelu(n)",
        "nn.ReLU(True)(n)",
    ],
)
def test_written_into_under_its_name(text: str) -> None:
    assert _is_modified(text)


@pytest.mark.parametrize(
    "text",
    [
        "n.sum()",
        "n.__add__(1)",
        "n[0]",
        "w += n",
        "torch.add(n, 1, out=w)",
        "torch.seed()",
        "torch.relu(n)",
        "torch.nn.functional.relu(n)",
        "torch.nn.functional.relu(n, inplace=False)",
        "torch.nn.functional.relu(w, True) + torch.nn.functional.relu(n)",
        "nn.ReLU(True)(w)\nnn.ReLU()(n)",
        "nn.ReLU(True)(w)\nReader()(n)",
    ],
)
def test_never_written_into_under_its_name(text: str) -> None:
    assert not _is_modified(text)
