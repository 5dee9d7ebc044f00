"""Functions that compute something, and no more."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.autograd.questions.outcomes.kept_to_itself import just_returns


def _just_returns(text: str) -> bool:
    """Whether that is so of the last function of the text."""
    text = f"import torch\n{text}\n"
    facts = WholeFacts(ast.parse(text), text)
    function = facts.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return just_returns(function, facts)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x + 1",
        "def f(x):\n    return torch.exp(x).sum()",
        "def f(x):\n    return f(x - 1)",
        "def g(x):\n    return f(x)\ndef f(x):\n    return g(x)",
        "def g(x):\n    return x\ndef f(x):\n    return g(x)",
        "def f(x):\n    return len(x)",
        "def f(x):\n    kept = []\n    kept.append(x)\n    return kept",
        "def f(x):\n    return '{}'.format(x)",
    ],
)
def test_just_returns(text: str) -> None:
    assert _just_returns(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    x.backward()",
        "def f(self, x):\n    self.x = x",
        "def f(x):\n    global y\n    y = x",
        "def f(x):\n    yield x",
        "def f(x):\n    return unknown(x)",
        "def f(x):\n    return x.unknown(1)",
        "def f(x):\n    return x[0](1)",
        "def f(x, kept):\n    kept.append(x)",
        "def len(x):\n    x.backward()\ndef f(x):\n    return len(x)",
        "def g(x):\n    return unknown(x)\ndef f(x):\n    return g(x)",
        "def f(x):\n    torch.save(x, 'a')",
    ],
)
def test_may_do_more(text: str) -> None:
    assert not _just_returns(text)
