"""Statements that rewrites made wider than their file, broken where it keeps to a width."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from torchfix_codemods.edit.lines import indent_of
from torchfix_codemods.edit.tidying.long_lines import HANGING, broken_line
from torchfix_codemods.engine.edits import Edit, line_starts, splice
from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.engine.regions import Applied
from torchfix_codemods.facts.module import Facts

#: The widths that formatters and style guides keep to. A file keeps to one of which many lines are
#: short by less than this, and none is longer; or of which some are longer than the one before.
_WIDTHS = (79, 80, 88, 100, 120)
_SHORT = 10
_MANY, _SOME = 4, 2

#: Nobody breaks a bracket that opens further to the right.
_MOST_INDENTED = 50

#: A statement that is broken behind a bracket; what a header has there stands further in.
_OPEN = re.compile(r" *(?!(?:async|class|def|elif|for|if|while|with)\b)[\w(].*\($")

#: By how much a line may stand further in than the one above.
_STEPS = (2, 4, 6, 8)

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise)


def narrowed(facts: Facts, text: str, lines: LineMap) -> Applied | None:
    """Break the lines that got longer than the width that their file keeps to.

    Args:
        facts: the facts of the module.
        text: the module's text.
        lines: where its lines come from.

    Returns:
        the text in which rewritten lines of statements are broken behind a comma or a bracket,
        where all parts are short enough then; None where there are none.
    """
    width = None if "\r" in text else _width_kept(lines.widths)
    wide = {n for n in lines.touched if width is not None and _got_wide(n, width, facts, lines)}
    if width is None or not wide:
        return None
    data = text.encode("utf-8")
    starts = line_starts(data)
    hanging = _hanging(facts.lines)
    edits = []
    for node in (node for cls in _STATEMENTS for node in facts.names.nodes.get(cls, ())):
        if not isinstance(node, ast.stmt):
            continue
        rows = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        first, last = facts.lines[rows[0] - 1], facts.lines[rows[-1] - 1]
        if wide.isdisjoint(rows) or not _stands_alone(node, first, last):
            continue
        code = "\n".join(facts.lines[row - 1] for row in rows)
        for row in wide.intersection(rows):
            line, start = facts.lines[row - 1], starts[row - 1]
            broken = broken_line(code, width, hanging, row - rows[0])
            if broken != line and (row != rows[0] or _column_of(broken) <= _MOST_INDENTED):
                edits.append(Edit(start, start + len(line.encode()), broken.encode(), (), False))
    if not edits:
        return None
    edits.sort(key=lambda edit: edit.start)
    after = splice(data, 0, len(data), edits).decode("utf-8")
    return Applied(after, (), (), tuple(edits))


def _stands_alone(node: ast.stmt, first: str, last: str) -> bool:
    """Whether nothing else stands on the first and the last line of a statement."""
    ends = len(last.encode()) == (node.end_col_offset or 0)
    return ends and not first.encode()[: node.col_offset].strip()


def _width_kept(widths: Sequence[int]) -> int | None:
    """The width that the lines of a file keep to, the longest first; None where none is seen."""
    at = next((n for n, width in enumerate(_WIDTHS) if widths and widths[0] <= width), None)
    if at is None or len(widths) < _MANY:
        return None
    are_near = widths[_MANY - 1] > _WIDTHS[at] - _SHORT
    are_further = _WIDTHS[at] > _WIDTHS[1] and widths[_SOME - 1] > _WIDTHS[at - 1]
    return _WIDTHS[at] if are_near or are_further else None


def _hanging(lines: Sequence[str]) -> int:
    """By how much a file indents what stands below an open bracket, most of all.

    What stands there by an odd number is aligned with something above.
    """
    steps = (
        len(indent_of(below)) - len(indent_of(line))
        for line, below in pairwise(lines)
        if _OPEN.match(line) is not None
    )
    seen = Counter(step for step in steps if step in _STEPS)
    return seen.most_common(1)[0][0] if seen else HANGING


def _got_wide(number: int, width: int, facts: Facts, lines: LineMap) -> bool:
    """Whether a line is too long by more than its indentation."""
    line = facts.lines[number - 1] if number <= len(facts.lines) else ""
    return len(line) > width and line.strip() != lines.as_read(number).strip()


def _column_of(broken: str) -> int:
    """Where the bracket stands at which a statement was broken."""
    first, below = broken.split("\n")[:2]
    return len(first) if first.endswith("(") else len(indent_of(below))
