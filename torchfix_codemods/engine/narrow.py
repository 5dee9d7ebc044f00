"""Statements that rewrites made wider than their file, broken where it keeps to 79 columns."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.tidying.long_lines import broken_line
from torchfix_codemods.engine.edits import Edit, line_starts, splice
from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.engine.regions import Applied
from torchfix_codemods.facts.module import Facts

#: The width of PEP 8. A file keeps to it that has so many lines nearly as long, and none longer.
_WIDTH = 79
_NEARLY = 70
_MANY = 4

#: Nobody breaks a bracket that opens further to the right.
_MOST_INDENTED = 50

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise)


def narrowed(facts: Facts, text: str, lines: LineMap) -> Applied | None:
    """Break the lines that got longer than 79 columns in a file that had none, but several nearly.

    Args:
        facts: the facts of the module.
        text: the module's text.
        lines: where its lines come from.

    Returns:
        the text in which statements on one rewritten line are broken behind a comma or a bracket,
        where all parts are short enough then; None where there are none.
    """
    wide = {n for n in lines.touched if _got_wide(n, facts, lines)}
    if not wide or "\r" in text or not _keeps_to_width(lines.widths):
        return None
    data = text.encode("utf-8")
    starts = line_starts(data)
    edits = []
    for node in (node for cls in _STATEMENTS for node in facts.names.nodes.get(cls, ())):
        if not isinstance(node, ast.stmt) or node.lineno not in wide:
            continue
        line = facts.lines[node.lineno - 1]
        start = starts[node.lineno - 1]
        alone = data[start + node.col_offset : start + (node.end_col_offset or 0)].decode("utf-8")
        if node.end_lineno == node.lineno and alone == line.strip():
            broken = broken_line(line, _WIDTH)
            if broken == line or _column_of(broken) > _MOST_INDENTED:
                continue
            edits.append(Edit(start, start + len(line.encode()), broken.encode(), (), False))
    if not edits:
        return None
    edits.sort(key=lambda edit: edit.start)
    after = splice(data, 0, len(data), edits).decode("utf-8")
    return Applied(after, (), (), tuple(edits))


def _keeps_to_width(widths: Sequence[int]) -> bool:
    return len(widths) >= _MANY and widths[0] <= _WIDTH and widths[_MANY - 1] >= _NEARLY


def _got_wide(number: int, facts: Facts, lines: LineMap) -> bool:
    """Whether a line is too long by more than its indentation."""
    line = facts.lines[number - 1] if number <= len(facts.lines) else ""
    return len(line) > _WIDTH and line.strip() != lines.as_read(number).strip()


def _column_of(broken: str) -> int:
    """Where the bracket stands at which a statement was broken."""
    first, below = broken.split("\n")[:2]
    return len(first) if first.endswith("(") else len(below) - len(below.lstrip(" "))
