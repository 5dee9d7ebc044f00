"""Whole numbers that are certainly not negative."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.integers import is_not_negative
from torchfix_codemods.facts.module import Facts


def _holds(text: str) -> bool:
    """Whether that is so of the argument of the last ``look(…)`` of the text."""
    text = f"import torch\n{text}"
    facts = Facts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return is_not_negative(facts, looks[-1].args[0])


@pytest.mark.parametrize(
    "text",
    [
        "look(2)",
        "look(0)",
        "look(len(a))",
        "look(len(a) + 1)",
        "look(len(a) * 2)",
        "look(len(a) % 2)",
        "look(len(a) // 2)",
        "n = 3\nlook(n)",
        "a, b = 1, 2\nlook(b)",
        "a, *b, c = 1, k, 2\nlook(c)",
        "for i in range(3):\n    look(i)",
        "for i in range(1, 3):\n    look(i)",
        "x = torch.zeros(2)\nlook(x.size(0))",
        "x = torch.zeros(2)\nlook(x.argmax())",
        "_, i = torch.zeros(2).max(0)\nlook(i)",
        "_, i = torch.zeros(2).topk(2)\nlook(i)",
        "look(torch.arange(3))",
        "look(torch.arange(1, 3))",
        "look(torch.randperm(3))",
    ],
)
def test_never_negative(text: str) -> None:
    assert _holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "look(-1)",
        "look(2.5)",
        "look(k)",
        "look(len(a) + k)",
        "look(k + len(a))",
        "look(len(a) - 1)",
        "look(k % 3)",
        "n = 3\nif a:\n    n = -1\nlook(n)",
        "n = 3 if a else k\nlook(n)",
        "a, b = 1, -2\nlook(b)",
        "a, b, c = 1, *k\nlook(c)",
        "def len(x):\n    return x\nlook(len(a))",
        "for i in range(-3, 3):\n    look(i)",
        "for i in range(3, 0, -1):\n    look(i)",
        "for i, x in enumerate(a, k):\n    look(i)",
        "i = 0\nwhile a:\n    i -= 1\n    look(i)",
        "look(x.argmax(1))",
        "i, _ = torch.zeros(2).max(0)\nlook(i)",
        "look(torch.arange(3, -3, -1))",
        "look(torch.arange(3, end=-3, step=-1))",
        "look(torch.arange(-3, 3))",
        "look(torch.randint(-3, 3, (2,)))",
    ],
)
def test_perhaps_negative(text: str) -> None:
    assert not _holds(text)
