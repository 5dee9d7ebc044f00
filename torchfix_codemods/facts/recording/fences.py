"""The lines that stand between the cells of a document while they are one program."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern

#: What begins the names that stand for something in such a program.
PREFIX = "_torchfix_"

_FENCE = lazy_pattern(rf"{PREFIX}_*\d+")


def is_fence(statement: ast.stmt) -> bool:
    """Whether a statement is such a line: a constant for itself."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    constant = value.value if isinstance(value, ast.Constant) else None
    if isinstance(constant, bytes):
        constant = constant.decode("ascii", "replace")
    return isinstance(constant, str) and _FENCE.fullmatch(constant) is not None


def ends_cell(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement is the last one of a cell, which shows its value."""
    body = facts.tree.body
    if not facts.speaks_of(PREFIX) or statement not in body:
        return False
    following = body[body.index(statement) + 1 :]
    return not following or is_fence(following[0])


def is_stand_in(statement: ast.stmt) -> bool:
    """Whether a statement stands for a cell that stays as it is: ``x = get_ipython(x, y)``.

    What stands for a single line of IPython's can be rewritten around: it begins with a string.
    """
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    return call.func.id == "get_ipython" and isinstance(next(iter(call.args), None), ast.Name)


def by_cell(statements: Collection[ast.stmt], facts: Facts) -> list[set[ast.stmt]]:
    """Statements in groups that stand in the same cell, in their order; one group elsewhere."""
    if not facts.speaks_of(PREFIX):
        return [set(statements)]
    fences = [statement.lineno for statement in facts.tree.body if is_fence(statement)]
    groups: dict[int, set[ast.stmt]] = {}
    for statement in statements:
        above = sum(line < statement.lineno for line in fences)
        groups.setdefault(above, set()).add(statement)
    return [groups[cell] for cell in sorted(groups)]
