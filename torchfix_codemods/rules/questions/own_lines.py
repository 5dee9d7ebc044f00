"""Whether a statement has its lines for itself."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts


def stands_alone(facts: Facts, statement: ast.stmt) -> bool:
    """Whether a line can go above a statement: it does not share its own with another one."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    return facts.lines[first - 1][: statement.col_offset].strip() == "" and not any(
        other is not statement and (other.lineno == last or other.end_lineno == first)
        for other in facts.block(statement)
    )
