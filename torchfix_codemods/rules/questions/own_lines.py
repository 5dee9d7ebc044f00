"""Whether a statement has its lines for itself, and how to be rid of it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes

DROP = "drop the line"


def stands_alone(facts: Facts, statement: ast.stmt) -> bool:
    """Whether a line can go above a statement: it does not share its own with another one."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    return facts.lines[first - 1][: statement.col_offset].strip() == "" and not any(
        other is not statement and (other.lineno == last or other.end_lineno == first)
        for other in facts.block(statement)
    )


def dropped(statement: ast.stmt, facts: Facts, *, with_loops: bool = False) -> str:
    """How to be rid of a line, with the tests around it that hold nothing else.

    Args:
        statement: the line.
        facts: the facts of the module.
        with_loops: whether going through what a loop around it goes through does nothing else.
    """
    whole = statement
    while isinstance(around := facts.parent(whole), (ast.For, ast.If)):
        is_idle = with_loops if isinstance(around, ast.For) else only_computes(facts, around.test)
        if around.body != [whole] or around.orelse or not is_idle:
            break
        whole = around
    if facts.block(whole) == [whole] and not isinstance(facts.parent(whole), ast.Module):
        return "leave pass in its place"
    if whole is statement:
        return DROP
    name = "loop" if isinstance(whole, ast.For) else "if"
    return f"drop the {name} of line {facts.origin(whole.lineno)}"
