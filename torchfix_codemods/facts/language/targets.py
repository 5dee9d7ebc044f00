"""Which name gets the value of an expression."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names


def name_of(names: Names, node: ast.expr) -> tuple[ast.stmt, ast.Name] | None:
    """``x`` of ``x = node`` and of ``x, y = node, other``, with the assignment."""
    target = target_of(names, node)
    return (names.statement(target), target) if isinstance(target, ast.Name) else None


def target_of(names: Names, node: ast.expr) -> ast.expr | None:
    """What gets the value of an expression: ``self.x`` of ``self.x, y = node, other``."""
    parent = names.parents.get(node)
    value = parent if isinstance(parent, (ast.Tuple, ast.List)) else node
    statement = names.parents.get(value)
    if not (isinstance(statement, ast.Assign) and statement.value is value):
        return None
    target: ast.expr = statement.targets[0]
    if len(statement.targets) != 1:
        return None
    if isinstance(value, (ast.Tuple, ast.List)) and value is not node:
        if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != len(value.elts):
            return None
        if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
            return None
        target = target.elts[value.elts.index(node)]
    return target
