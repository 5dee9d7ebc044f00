"""A comment that asks to leave a place alone, written where it has room."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from torchfix_codemods.engine.suppression import with_ignored
from torchfix_codemods.finding import Finding
from torchfix_codemods.remarks import remark_of
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.text.comments import comments


def ignoring_line(text: str, finding: Finding) -> tuple[int, str] | None:
    """The line that gets the comment, counted from 0, and what it becomes, with its end.

    A comment may end a line only where none of a string, and no backslash, does.

    Args:
        text: a module.
        finding: what is to be left alone.

    Returns:
        None where there is no room, and for what no comment keeps away.
    """
    remark = remark_of(finding.code)
    if remark is not None and not remark.heeds_comments:
        return None
    lines = split_lines(text)
    for row in range(finding.line - 1, _end_of_statement(text, finding.line)):
        line = lines[row]
        bare = line.rstrip("\r\n")
        if bare.endswith("\\"):
            continue
        new = with_ignored(bare, finding.code)
        whole = "".join([*lines[:row], new + line[len(bare) :], *lines[row + 1 :]])
        comment = (comments(whole) or {}).get(row + 1)
        if comment is not None and new.endswith(comment) and f"{finding.code}]" in comment:
            return row, new + line[len(bare) :]
    return None


def with_comments(text: str, findings: Sequence[Finding]) -> tuple[str, list[Finding]]:
    """A module with a comment for each finding, and the findings that a comment has no room for."""
    left = []
    seen = set()
    for finding in findings:
        if (finding.line, finding.code) in seen:
            continue
        seen.add((finding.line, finding.code))
        found = ignoring_line(text, finding)
        if found is None:
            left.append(finding)
            continue
        row, line = found
        lines = split_lines(text)
        text = "".join([*lines[:row], line, *lines[row + 1 :]])
    return text, left


def _end_of_statement(text: str, line: int) -> int:
    """The last line of the statement on a line, or of its head where others are in it."""
    ends = [end for start, end in _statements(text) if start <= line <= end]
    return min(ends, default=line)


@functools.lru_cache(maxsize=4)
def _statements(text: str) -> list[tuple[int, int]]:
    """The first line of each statement, and the last of its head."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    return [(node.lineno, _end_of_head(node)) for node in nodes]


def _end_of_head(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno
