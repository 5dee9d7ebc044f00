"""New lines of code beside a statement."""

from __future__ import annotations

from typing import Any

from torchfix_codemods.edit import cst


def with_line_before(statement: cst.BaseStatement, line: str) -> cst.FlattenSentinel[Any]:
    """``statement`` with one more line above it, below the comments that it has."""
    return cst.FlattenSentinel([cst.parse_statement(line), statement])
