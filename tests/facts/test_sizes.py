"""Places where only a whole number can stand."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.tensors.questions.sizes import is_size

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.ones(4)
def layer(width, other=1):
    return nn.Linear(width, other)
def shown(width):
    print(width)
"""


def _is_size(text: str) -> bool:
    """Whether that is so of ``n / 2`` in the text."""
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    operations = [n for n in ast.walk(facts.tree) if isinstance(n, ast.BinOp)]
    return is_size(facts, next(n for n in operations if ast.unparse(n) == "n / 2"))


@pytest.mark.parametrize(
    "text",
    [
        "torch.zeros(n / 2)",
        "m = n / 2\nm += 1\ntorch.zeros(m)",
        "torch.zeros(1, n / 2)",
        "torch.zeros((1, n / 2))",
        "torch.zeros(n / 2 * 3)",
        "torch.zeros(n / 2 * k)",
        "torch.zeros(-(n / 2) + 3)",
        "torch.FloatTensor(n / 2, 3)",
        "x[:n / 2]",
        "x[0, :n / 2]",
        "[0] * (n / 2)",
        "'-' * (n / 2)",
        "x.view(n / 2, 2)",
        "x.view((n / 2, 2))",
        "x.narrow(0, n / 2, 1)",
        "x.topk(n / 2)",
        "torch.roll(x, n / 2)",
        "torch.nn.functional.interpolate(x, n / 2)",
        "nn.Linear(n / 2, 1)",
        "nn.Linear(in_features=n / 2, out_features=1)",
        "m = n / 2\ntorch.zeros(m)",
        "m = n / 2\nif m > 1:\n    torch.zeros(m)",
        "layer(n / 2)",
        "layer(1, other=n / 2)",
    ],
)
def test_only_a_whole_number_can_stand_there(text: str) -> None:
    assert _is_size(text)


@pytest.mark.parametrize(
    "text",
    [
        "print(n / 2)",
        "print(n / 2 * 3)",
        "print(n / 2 * k)",
        "print(-(n / 2))",
        "torch.zeros(not n / 2)",
        "torch.zeros(n / 2 * 1.5)",
        "torch.zeros(n / 2 * x)",
        "torch.zeros(*k, n / 2)",
        "torch.tensor(n / 2)",
        "torch.FloatTensor([n / 2])",
        "torch.FloatTensor(n / 2)",
        "x.new(n / 2)",
        "[0, 1] * (n / 2)",
        "torch.add(x, n / 2)",
        "torch.chunk(n / 2, 1)",
        "k[:n / 2]",
        "k.view(n / 2, 2)",
        "x.max(n / 2)",
        "x.clamp(n / 2)",
        "k.flip(n / 2)",
        "torch.arange(n / 2)",
        "torch.nn.functional.dropout(x, n / 2)",
        "nn.Dropout(n / 2)",
        "nn.BatchNorm1d(n / 2, track_running_stats=False)",
        "nn.Linear(1, 2, bias=n / 2)",
        "m = n / 2",
        "m = n / 2\nprint(m)\ntorch.zeros(m)",
        "m = n / 2\nm += 0.5\ntorch.zeros(m)",
        "m, k = n / 2\ntorch.zeros(m)",
        "m = k = n / 2\ntorch.zeros(m)",
        "shown(n / 2)",
        "layer(*k, n / 2)",
        "unknown(n / 2)",
        "(n / 2)(1)",
    ],
)
def test_a_fraction_may_be_meant(text: str) -> None:
    assert not _is_size(text)
