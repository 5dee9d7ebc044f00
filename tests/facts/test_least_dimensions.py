"""Calls of torch that leave a dimension whatever they are given, against the installed torch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.tensors.dimensional import has_dimensions
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_LEFT = (
    "x.sum(1)",
    "x.sum(dim=-2)",
    "x.sum((1, 2))",
    "x.sum([0, 2])",
    "x.sum(1).mean(0, True)",
    "x.max(1)[1]",
    "x.max(dim=2, keepdim=True)[0]",
    "torch.max(x, 1)[-1]",
    "torch.mean(x, dim=1)",
    "torch.sum(x, 1) / torch.sum(x)",
    "torch.nn.functional.softmax(x, 1)",
    "x.cumsum(1)",
    "x.argmax(1)",
    "x.sum(1) if x.is_cuda else x.cumsum(1)",
    "x.sum(1, keepdim=True)",
    "torch.cat([x, x], 0)",
    "torch.FloatTensor([3])",
)
_OPEN = (
    "x.sum(0)",
    "x.sum(-1)",
    "x.sum(axis=0)",
    "x.sum((0, 1))",
    "x.sum(1).sum(0)",
    "x.sum(1).mean()",
    "x.mean(0, True)",
    "x.max(0)[1]",
    "torch.max(x, -1)[0]",
    "torch.sum(x, 0)",
    "x.cumsum(0)",
    "x.argmax(0)",
    "x.sum(1) if x.dim() > 1 else x.sum()",
)


def _is_certain(expression: str) -> bool:
    text = f"import torch\ndef f(x, dim, *dims):\n    return {expression}\n"
    facts = WholeFacts(ast.parse(text), text)
    (returned,) = (node for node in ast.walk(facts.names.tree) if isinstance(node, ast.Return))
    assert returned.value is not None
    return has_dimensions(facts, returned.value)


def _ranks(expression: str) -> set[int]:
    ranks = set()
    for rank in range(5):
        try:
            ranks.add(eval(expression, {"torch": torch, "x": torch.ones([2] * rank)}).dim())
        except (IndexError, RuntimeError):
            continue
    return ranks


@pytest.mark.parametrize("expression", _LEFT)
def test_a_dimension_is_left(expression: str) -> None:
    assert 0 not in _ranks(expression)
    assert _is_certain(expression)


@pytest.mark.parametrize("expression", _OPEN)
def test_none_may_be_left(expression: str) -> None:
    assert 0 in _ranks(expression)
    assert not _is_certain(expression)


@pytest.mark.parametrize(
    "expression",
    ["x.sum(dim)", "x.sum(*dims)", "x.pick(1)", "x.max(1)", "x.sum(1)[0]", "x.max(1)[dim]"],
)
def test_what_is_not_known_may_have_none(expression: str) -> None:
    assert not _is_certain(expression)


_TRAIN = "import torch\nfrom helpers import {}\ndef run(x):\n    {}\n    return y.data[0]\n"
_HELPERS = """
import torch

def pair(x):
    loss = torch.cat(x, 0) if x is not None else None
    return loss, x.mode

def outer(x):
    a, b = pair(x)
    return a, b

def open_pair(x):
    return x.sum(), x.sum(1)

def cuda(x, flag):
    return x.cuda() if flag else x

def other(x, y):
    return cuda(y, True)
"""


def _is_told(folder: Path, text: str) -> bool:
    (folder / "train.py").write_text(text)
    (folder / "helpers.py").write_text(_HELPERS)
    return bool(
        migrate_file(folder / "train.py", Settings(select=("TP103",)), write=False).findings
    )


@pytest.mark.parametrize(
    ("taken", "made"),
    [
        ("outer", "y, n = outer(x)"),
        ("outer", "y = outer(x)[0]"),
        ("open_pair", "_, y = open_pair(x)"),
        ("*", "y, n = outer(x)"),
        ("cuda", "y = cuda(x.sum(1), True)"),
        ("cuda", "y = cuda(flag=True, x=x.sum(1))"),
        ("other", "y = other(x, x.sum(1))"),
    ],
)
def test_functions_of_other_files_hand_dimensions_on(tmp_path: Path, taken: str, made: str) -> None:
    assert not _is_told(tmp_path, _TRAIN.format(taken, made))


@pytest.mark.parametrize(
    ("taken", "made"),
    [
        ("outer", "n, y = outer(x)"),
        ("open_pair", "y, _ = open_pair(x)"),
        ("cuda", "y = cuda(x.sum(0), True)"),
        ("cuda", "y = cuda(*x.sum(1))"),
        ("other", "y = other(x.sum(1), x)"),
    ],
)
def test_what_they_make_of_anything_is_open(tmp_path: Path, taken: str, made: str) -> None:
    assert _is_told(tmp_path, _TRAIN.format(taken, made))


def test_a_name_that_two_files_offer_is_open(tmp_path: Path) -> None:
    text = _TRAIN.format("*\nfrom others import *", "y, n = outer(x)")
    assert not _is_told(tmp_path, text)
    (tmp_path / "others.py").write_text("def outer(x):\n    return x, x.mode\n")
    assert _is_told(tmp_path, text)


_SOLVER = """
import torch

class Solver:
    def __init__(self, args):
        self.top = args.top

    def train(self):
        self.top = torch.FloatTensor([self.top])
        return self.top.data[0]
"""


def test_what_is_stored_above_is_what_is_read(tmp_path: Path) -> None:
    assert not _is_told(tmp_path, _SOLVER)
    assert _is_told(tmp_path, _SOLVER.replace("FloatTensor([self.top])", "mean(self.top)"))
    assert _is_told(tmp_path, _SOLVER.replace("self.top = torch", "self.low = torch"))
    assert _is_told(tmp_path, _SOLVER + "    def test(self):\n        self.top = run(self)\n")
    assert _is_told(tmp_path, _SOLVER.replace("self.top.data", "self.step.top.data"))
