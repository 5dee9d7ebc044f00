"""Branches that make a value volatile, apart from one that trains with it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.volatile.blocks import negated


def test_apart(calls: Sequence[ast.Call], backward: ast.expr, facts: Facts) -> str | None:
    """The test for ``loss.backward()``, where a value is volatile in a branch without it.

    A test that has such a value in both of its branches tells nothing.
    """
    child: ast.AST = calls[0]
    for above in facts.names.ancestors(calls[0]):
        if isinstance(above, ast.FunctionDef) or backward in walk(above):
            return None
        if isinstance(above, ast.If):
            others = above.orelse if child in above.body else above.body
            inside = {node for statement in others for node in walk(statement)}
            if not inside.isdisjoint(calls):
                child = above
                continue
            return negated(above.test) if child in above.body else ast.unparse(above.test)
        child = above
    return None
