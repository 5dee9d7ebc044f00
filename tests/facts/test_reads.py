"""Whether memory that is shared with the graph is only read."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.reads import is_only_read

HEAD = """
import torch
import torch.nn as nn
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
"""


def _is_only_read(text: str, strict: bool) -> bool:
    text = HEAD + text
    facts = Facts(ast.parse(text), text)
    nodes = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Attribute) and n.attr == "data"]
    return is_only_read(facts, max(nodes, key=lambda n: (n.lineno, n.col_offset)), strict)


READ = (
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
)

READ_NOW = (
    "y = w.data * w",
    "n += w.data",
    "torch.cat([w.data, w])",
    "w.data.mul(w)",
    "Reader()(w.data)",
)

WRITTEN = (
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
