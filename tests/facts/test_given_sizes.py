from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.questions.given_sizes import are_sizes_given


def _are_given(expression: str, body: str = "") -> bool:
    text = (
        "import torch\ndef f(x, sizes, maybe=None, pair=(2, 3), *rest):\n"
        f"    x = torch.ones(2)\n{body}    look({expression})\n"
    )
    facts = WholeFacts(ast.parse(text), text)
    call = next(
        n for n in ast.walk(facts.tree) if getattr(getattr(n, "func", 0), "id", "") == "look"
    )
    assert isinstance(call, ast.Call)
    return are_sizes_given(facts, call.args[0])


@pytest.mark.parametrize(
    "expression",
    "(1, n)|[n]|sizes|pair|x.size()|x.shape[1:]|y.shape|y.size()|sizes[1:]|y.size()[1:] + (2,)"
    "|y.long().tolist()|tuple(sizes)|[i for i in sizes]".split("|"),
)
def test_given(expression: str) -> None:
    assert _are_given(expression)


@pytest.mark.parametrize(
    "expression", "None|()|[]|maybe|self.sizes|sizes_of(x)|sizes[0]|options['sizes']".split("|")
)
def test_perhaps_not(expression: str) -> None:
    assert not _are_given(expression)


@pytest.mark.parametrize(
    ("body", "are_given"),
    [
        ("    n = sizes[1:]\n", True),
        ("    n = None\n    if x:\n        n = sizes[1:]\n", False),
        ("    n = sizes[1:] if x else (1, 2)\n", True),
        ("    n, m = sizes[1:], None\n", True),
        ("    m, n = sizes[1:], None\n", False),
        ("    n = sizes[1:] if x else self.sizes\n", False),
        ("    n = maybe\n", False),
        ("    n = self.sizes\n", False),
    ],
)
def test_by_a_name(body: str, are_given: bool) -> None:
    assert _are_given("n", body) == are_given
