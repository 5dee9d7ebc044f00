"""Questions that could not be answered are noted, also where the answer is remembered."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.values.lattice import Value
from torchfix_codemods.why.noting import Noting

TEXT = """\
import torch
import torch.nn.functional as F
try:
    from mine import F
except OSError:
    pass
known = torch.ones(1)
"""


def asked(code: str) -> tuple[Noting, ast.expr]:
    facts = Noting(facts_of(f"{TEXT}{code}\n"))
    statement = facts.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    return facts, statement.value


@pytest.mark.parametrize(("code", "is_noted"), [("unknown", True), ("known", False), ("1", False)])
def test_values(code: str, is_noted: bool) -> None:
    facts, node = asked(code)
    facts.is_tensor(node)
    assert facts.taken() is is_noted
    assert not facts.taken()


@pytest.mark.parametrize(
    ("code", "is_noted"), [("F.softmax", True), ("torch.ones", False), ("x.softmax", False)]
)
def test_names(code: str, is_noted: bool) -> None:
    facts, node = asked(code)
    facts.name(node)
    assert facts.taken() is is_noted


def test_what_is_remembered() -> None:
    facts, node = asked("unknown")

    def compute() -> Value:
        return facts.value(node)

    for _ in range(2):
        facts.remembered("a question", compute)
        assert facts.taken()
    facts.remembered("another one", lambda: 1)
    assert not facts.taken()
    facts.value(node)
    facts.remembered("another one", lambda: 1)
    assert facts.taken(), "what was noted before stays"
