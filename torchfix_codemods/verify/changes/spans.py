"""Where the statements of a file are: lines counted from 0, the end behind the last one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

Range = tuple[int, int]
"""First line, and the line behind the last one; counted from 0."""


@dataclass
class Spans:
    """The lines of all statements of a file."""

    whole: list[Range] = field(default_factory=list)
    """Every statement with all that is in it."""
    simple: list[Range] = field(default_factory=list)
    """Statements without others in them, and the heads of those that have; of several lines."""
    blocks: list[Range] = field(default_factory=list)
    """``if``, ``with``, loops and ``try``: whole."""

    def around(self, line: int) -> list[Range]:
        """The statements around a line, innermost first."""
        found = [(start, end) for start, end in self.whole if start <= line < end]
        return sorted(found, key=lambda span: span[1] - span[0])


def spans_of(tree: ast.Module | None) -> Spans:
    """The statements of a file; None: of one that is no Python, none."""
    spans = Spans()
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.stmt):
            continue
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        spans.whole.append((start, end))
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            head = max(start + 1, _first_line(body[0]) - 1)
            if head - start > 1:
                spans.simple.append((start, head))
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                spans.blocks.append((start, end))
        elif end - start > 1:
            spans.simple.append((start, end))
    return spans


def parsed(text: str) -> ast.Module | None:
    """A file as Python reads it; None: it does not."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def touching(groups: Sequence[Sequence[tuple[Range, Range]]], span: Range) -> list[int]:
    """The groups with lines of a span; those that change one come before what is new beside it."""

    def touches(group: Sequence[tuple[Range, Range]], least: int) -> bool:
        return any(
            part[0][0] < span[1] and span[0] < max(part[0][1], part[0][0] + least) for part in group
        )

    changed = [number for number, group in enumerate(groups) if touches(group, 0)]
    beside = [number for number, group in enumerate(groups) if touches(group, 1)]
    return [*changed, *(number for number in beside if number not in changed)]


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
