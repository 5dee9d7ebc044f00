"""Comments beside code stay in their column, which they often share with others around them."""

from __future__ import annotations

#: So many spaces stand before any comment beside code: with no more, it is in no column.
_LEAST = 2


def in_column(old: str, new: str, comment: str) -> str:
    """Put the comment of a rewritten line where it stood, as far as there is room.

    Args:
        old: the line as it was.
        new: the line after rewriting.
        comment: what ``old`` ends with.

    Returns:
        ``new``, where a comment that followed its code by more than two spaces begins in the
        column where it began, or two spaces behind longer code; of a line that moves, where that
        takes it.
    """
    if old == new or not old.endswith(comment) or not new.endswith(comment):
        return new
    column, code = len(old) - len(comment), new.removesuffix(comment).rstrip(" ")
    is_in_column = column - len(old[:column].rstrip(" ")) > _LEAST
    if not is_in_column or not code or code.endswith("\t"):
        return new
    column += _indent(new) - _indent(old)
    return code + " " * max(_LEAST, column - len(code)) + comment


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
