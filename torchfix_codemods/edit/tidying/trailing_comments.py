"""Comments beside code stay in their column, which they often share with others around them."""

from __future__ import annotations

from collections.abc import Mapping

#: So many spaces stand before any comment beside code: with no more, it is in no column.
_LEAST = 2


def in_column(before: str, after: str, comments: Mapping[int, str]) -> str:
    """Put the comments of rewritten lines where they stood, as far as there is room.

    Args:
        before: lines as they were.
        after: the lines after rewriting.
        comments: the comments of ``before``, by their rows from 0.

    Returns:
        ``after``, where each comment that followed its code by more than two spaces begins in the
        column where it began, or two spaces behind longer code; of a line that moves, where that
        takes it. Unchanged where there are other lines than before.
    """
    old, new = before.split("\n"), after.split("\n")
    if len(old) != len(new):
        return after
    for row, comment in comments.items():
        is_there = old[row].endswith(comment) and new[row].endswith(comment)
        if is_there and old[row] != new[row]:
            new[row] = _moved(old[row], new[row], comment)
    return "\n".join(new)


def _moved(old: str, new: str, comment: str) -> str:
    column, code = len(old) - len(comment), new.removesuffix(comment).rstrip(" ")
    is_in_column = column - len(old[:column].rstrip(" ")) > _LEAST
    if not is_in_column or not code or code.endswith("\t"):
        return new
    column += _indent(new) - _indent(old)
    return code + " " * max(_LEAST, column - len(code)) + comment


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
