"""Statements that are there to see whether they fail."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.module import Facts

#: Contexts in which a call is made to see whether it fails.
_TRIALS = frozenset("raises assertRaises assertRaisesRegex warns assertWarns suppress".split())


def is_trial(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement is there to see whether it fails."""
    block = facts.parent(statement)
    if isinstance(block, TRIES) and statement in block.body:
        return True
    return any(
        isinstance(part, (ast.Name, ast.Attribute))
        and (part.id if isinstance(part, ast.Name) else part.attr) in _TRIALS
        for parent in facts.names.ancestors(statement)
        if isinstance(parent, (ast.With, ast.AsyncWith))
        for item in parent.items
        for part in ast.walk(item.context_expr)
    )
