"""New lines of code beside a statement, and how long a line may become."""

from __future__ import annotations

import ast
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts

#: So long may a line become.
WIDTH = 99


def with_line_before(statement: cst.BaseStatement, line: str) -> cst.FlattenSentinel[Any]:
    """``statement`` with one more line above it, below the comments that it has."""
    return cst.FlattenSentinel([cst.parse_statement(line), statement])


def outgrows(node: ast.expr, more: int, facts: Facts) -> bool:
    """Whether a line gets too long: longer than usual, and than all others of its function.

    Args:
        node: what is rewritten. What spans several lines was broken by its author, and what stands
            in one of two halves is to be written as in the other.
        more: by how many characters.
        facts: the facts of the module.
    """
    if node.end_lineno != node.lineno or _is_in_half(node, facts):
        return False
    length = len(facts.lines[node.lineno - 1]) + more
    function = facts.names.enclosing_function(node)
    first, last = (0, None) if function is None else (function.lineno - 1, function.end_lineno)
    return length > max(WIDTH, *map(len, facts.lines[first:last]))


def _is_in_half(node: ast.expr, facts: Facts) -> bool:
    """Whether this is in one of two halves; the other stores to the same, or returns too."""
    if any(isinstance(one, ast.IfExp) for one in facts.names.ancestors(node)):
        return True
    statement = facts.statement(node)
    chooses = facts.parent(statement)
    if not isinstance(chooses, ast.If) or not chooses.orelse:
        return False
    other = chooses.orelse if statement in chooses.body else chooses.body
    return any(_does_same(statement, one) for one in other)


def _does_same(statement: ast.stmt, other: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign) and isinstance(other, ast.Assign):
        return list(map(ast.unparse, statement.targets)) == list(map(ast.unparse, other.targets))
    return isinstance(statement, ast.Return) and isinstance(other, ast.Return)
