from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.tensors.questions.order import may_change_places


def _may(code: str) -> bool:
    text = f"import math, torch\nt = torch.ones(2)\ntake({code})\n"
    tree = ast.parse(text)
    statement = tree.body[-1]
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    first, later = statement.value.args
    return may_change_places(WholeFacts(tree, text), [first], [later])


@pytest.mark.parametrize(
    "code",
    [
        "a, b",
        "-a * 2, step()",
        "group['lr'], b.data",
        "self.lr, torch.abs(t)",
        "math.sqrt(group['lr']), t.t()",
        "t.sum().item(), torch.ones(2)",
        "max(a, 1), b",
        "2 * a, t.mul_(2)",
    ],
)
def test_may(code: str) -> None:
    assert _may(code)


@pytest.mark.parametrize(
    "code",
    [
        "step(), step()",
        "step(), b",
        "self.lr, self.step()",
        "group['lr'], step(group)",
        "t.sum().item(), t.mul_(2)",
        "torch.rand(1), torch.rand(2)",
        "t.bernoulli(), b",
        "a, (a := b)",
        "list.pop(), list.pop()",
    ],
)
def test_may_not(code: str) -> None:
    assert not _may(code)
