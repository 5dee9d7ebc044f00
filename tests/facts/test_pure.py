"""Expressions that may be evaluated earlier, later or not at all."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.facts.programs.whole import WholeFacts


def _only_computes(expression: str, head: str = "") -> bool:
    text = f"import math\nimport numpy as np\nimport torch\nt = torch.ones(2)\n{head}look({expression})\n"
    facts = WholeFacts(ast.parse(text), text)
    last = facts.tree.body[-1]
    assert isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return only_computes(facts, last.value.args[0])


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        "a + b[0].c",
        "[a for a in b]",
        "a if b else c",
        "len(a)",
        "type(a)",
        "max(a, min(b, c))",
        "torch.zeros(2)",
        "torch.exp(t)",
        "t.sum()",
        "t.view(-1).exp()",
    ],
)
def test_only_computes(expression: str) -> None:
    assert _only_computes(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "f()",
        "a.f()",
        "a[0]()",
        "(a := 1)",
        "print(a)",
        "len(f())",
        "t.add_(1)",
        "torch.rand(2)",
        "torch.nn.functional.dropout(t)",
        "torch.manual_seed(1)",
        "torch.save(t, 'a')",
        "torch.add(t, 1, out=t)",
        "t.backward()",
        "t.register_hook(a)",
        "torch.cuda.synchronize()",
    ],
)
def test_does_more(expression: str) -> None:
    assert not _only_computes(expression)


def test_a_function_of_the_file_may_do_more() -> None:
    assert _only_computes("len(a)")
    assert not _only_computes("len(a)", "def len(a):\n    return a.pop()\n")


def test_what_waits_for_something_else_does_more() -> None:
    for inside in ("await a", "(yield a)", "(yield from a)"):
        kind = "async def" if "await" in inside else "def"
        text = f"{kind} f(a):\n    look({inside})\n"
        facts = WholeFacts(ast.parse(text), text)
        calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
        assert not only_computes(facts, calls[0].args[0])
