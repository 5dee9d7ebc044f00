"""Comments beside statements that go: what they say may be so of a line further down."""

from __future__ import annotations

import ast

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.stale_comments import (
    is_for_tools,
    tells_of_lost_line,
    tells_of_wrapper,
)
from torchfix_codemods.facts.module import Facts

#: So many statements further down a comment is still about the same.
_MOST_BELOW = 8


def comment_beside(node: ast.stmt, facts: Facts) -> str:
    """The comment beside a statement, with the blanks before it; empty where there is none."""
    line = facts.lines[(node.end_lineno or node.lineno) - 1]
    rest = line.encode("utf-8")[node.end_col_offset or 0 :].decode("utf-8").rstrip("\r\n")
    return rest if rest.lstrip().startswith("#") else ""


def is_comment_lost(node: ast.Assign, facts: Facts) -> bool:
    """Whether the comment beside an assignment goes with it, as it says only what that did.

    Where a line below gives the name a value, one about a move may be about that.
    """
    comment = comment_beside(node, facts).strip()
    names = [part.id for t in node.targets for part in ast.walk(t) if isinstance(part, ast.Name)]
    if not comment or later_line(node, facts) is not None:
        return False
    return tells_of_lost_line(comment, names)


def later_line(node: ast.Assign, facts: Facts) -> ast.Assign | None:
    """The next statement of a block that gives a name a value, for the comment of one that goes.

    ``x = x.to(device)`` of ``x = Variable(x)  # (batch, 3)`` above it; None where something else
    uses the name before, or has a comment of its own, and where the comment is about the wrapper.
    """
    target, comment = node.targets[0], comment_beside(node, facts)
    if not isinstance(target, ast.Name) or not comment or is_for_tools(comment.strip()):
        return None
    if tells_of_wrapper(comment, [target.id]):
        return None
    block = facts.block(node)
    start = block.index(node) + 1
    for below in block[start : start + _MOST_BELOW]:
        names = {part.id for part in ast.walk(below) if isinstance(part, ast.Name)}
        if target.id not in names:
            continue
        is_given = (
            isinstance(below, ast.Assign)
            and len(below.targets) == 1
            and isinstance(below.targets[0], ast.Name)
            and below.targets[0].id == target.id
            and below.lineno == below.end_lineno
            and "#" not in facts.lines[below.lineno - 1]
        )
        return below if is_given and isinstance(below, ast.Assign) else None
    return None


def with_comment(line: cst.SimpleStatementLine, beside: str) -> cst.SimpleStatementLine:
    """A line with a comment beside it, as far from it as it stood from the line that is gone."""
    text = beside.lstrip()
    return line.with_changes(
        trailing_whitespace=line.trailing_whitespace.with_changes(
            whitespace=cst.SimpleWhitespace(beside[: len(beside) - len(text)]),
            comment=cst.Comment(text),
        )
    )
