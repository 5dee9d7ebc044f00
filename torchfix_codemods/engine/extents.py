"""Where a place in a text ends."""

from __future__ import annotations

import ast

from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.facts.module import Facts


def extent_of(node: ast.AST, facts: Facts, lines: LineMap) -> tuple[int, int] | None:
    """How many lines below its first one a node ends, and in which column; see ``Finding``.

    Args:
        node: the node; of a statement with others in it only the first line counts.
        facts: of the text as it is now.
        lines: where its lines come from.

    Returns:
        None where the file as it was read has another text there.
    """
    first, start = getattr(node, "lineno", None), getattr(node, "col_offset", 0)
    last, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if first is None or last is None or end is None:
        return None
    if isinstance(getattr(node, "body", None), list) and last > first:
        last, end = first, len(facts.lines[first - 1].rstrip().encode("utf-8"))
    for line in (first, last):
        if lines.as_read(line).rstrip("\r\n") != facts.lines[line - 1].rstrip("\r\n"):
            return None
    if lines.origin(last) - lines.origin(first) != last - first:
        return None
    column = _column(facts.lines[last - 1], end)
    if last > first:
        return last - first, column
    return 0, column - _column(facts.lines[first - 1], start)


def _column(line: str, offset: int) -> int:
    """A place in a line, counted from 1 in characters; the tree counts bytes."""
    return len(line.encode("utf-8")[:offset].decode("utf-8", "replace")) + 1
