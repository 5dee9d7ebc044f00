"""Lines that a rewrite joined are broken again, where a statement had several before."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

from torchfix_codemods.edit.lines import WIDTH

#: Statements of more lines stay as they are: each line costs a walk through all of them.
_MOST_LINES = 100

#: By how much a line below an open bracket is indented where a file shows nothing else.
HANGING = 4


@dataclass
class _Bracket:
    """A bracket of a line, with all that stands in it."""

    column: int
    end: int
    """Where it is closed."""
    commas: list[int] = field(default_factory=list)
    """Where what follows its commas begins."""


@dataclass
class _Layout:
    """What a line can be broken behind."""

    brackets: list[_Bracket]
    """The outermost brackets."""
    commas: list[int]
    """Where what follows the commas begins that stand in none of them."""
    continues: bool
    """Whether the line begins inside of a bracket."""


def broken_again(before: str, after: str) -> str:
    """Break the lines of a rewritten statement that got too long because others joined them.

    Args:
        before: the statement as it was, with whole lines.
        after: the statement after rewriting, with whole lines.

    Returns:
        ``after``, in which lines longer than all of ``before`` and than 99 columns are broken
        behind commas or behind a bracket, where all parts are short enough then. Unchanged where
        it has as many lines as before, and where a line is indented by tabs.
    """
    if "\t" in after or not after.count("\n") < before.count("\n") <= _MOST_LINES:
        return after
    width = max(WIDTH, *map(len, before.split("\n")))
    lines = after.split("\n")
    return "\n".join(
        _broken(after, row, width) if len(line) > width else line for row, line in enumerate(lines)
    )


def broken_line(code: str, width: int, hanging: int = HANGING, row: int = 0) -> str:
    """A line of a statement, without its end, in as many lines as a width asks for.

    As it is where no break helps, and where a comment stands in it or a tab before it.

    Args:
        code: the whole lines of the statement.
        width: the most columns of a line.
        hanging: by how much what stands below an open bracket is indented.
        row: which of its lines.
    """
    lines = code.split("\n")
    is_left = "\t" in code or len(lines) > _MOST_LINES
    return lines[row] if is_left else _broken(code, row, width, hanging)


def _broken(code: str, row: int, width: int, hanging: int = HANGING) -> str:
    """One line of a statement, in as many lines as it needs; as it is where no break helps."""
    line = code.split("\n")[row]
    layout = _layout(code, row, line)
    ways = () if layout is None else _ways(line, layout, width, hanging)
    return next(("\n".join(way) for way in ways if max(map(len, way)) <= width), line)


def _ways(line: str, layout: _Layout, width: int, hanging: int) -> Iterator[list[str]]:
    """The ways to break a line, the best first."""
    indent = len(line) - len(line.lstrip(" "))
    returned = re.match(r" *return ", line)
    if layout.continues:
        yield _filled(line, layout.commas, indent, width)
    elif returned is not None and layout.commas:
        start = returned.end()
        bracketed = f"{line[:start]}({line[start:].rstrip()})"
        yield _filled(bracketed, [comma + 1 for comma in layout.commas], start + 1, width)
    brackets = sorted(layout.brackets, key=lambda bracket: bracket.column - bracket.end)
    if not brackets:
        return
    widest = brackets[0]
    # Of several things side by side nobody breaks one that others follow.
    if layout.continues or not any(comma > widest.end for comma in layout.commas):
        start = widest.column + 1
        aligned = _filled(line, widest.commas, start, width)
        # Nobody breaks a line behind the bracket of an index.
        is_index = line[widest.column] != "("
        hung = [] if is_index else [[line[:start], " " * (indent + hanging) + line[start:]]]
        # The next call of a chain does not stand below the arguments of the one before.
        is_chained = line[widest.end + 1 : widest.end + 2] == "."
        yield from (*hung, aligned) if is_chained else (aligned, *hung)
    for other in () if layout.continues else brackets[1:]:
        # Where no break in the widest helps, one in a call behind it may.
        is_call = re.search(r"[\w)\]]\($", line[: other.column + 1]) is not None
        is_last = not any(comma > other.end for comma in layout.commas)
        if is_call and is_last and other.commas and other.column > widest.end:
            yield [line[: other.column + 1], " " * (indent + hanging) + line[other.column + 1 :]]


def _filled(line: str, commas: list[int], indent: int, width: int) -> list[str]:
    """A line that is broken behind as few of the commas as can be."""
    lines: list[str] = []
    cut = 0
    for at, further in zip(commas, [*commas[1:], len(line) + 1], strict=False):
        # What would stand in one line, if it were not broken here.
        together = len(line[cut:further].rstrip()) + (indent if cut else 0)
        if together > width:
            lines.append(" " * (indent if cut else 0) + line[cut:at].rstrip())
            cut = at
    return [*lines, " " * (indent if cut else 0) + line[cut:]]


def _layout(code: str, row: int, line: str) -> _Layout | None:
    """What a line can be broken behind; None where it cannot.

    That is where a comment or a text over several lines stands in it, or a bracket of it ends
    further below.
    """
    above, inside = 0, list[_Bracket]()
    layout = _Layout([], [], continues=False)
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            first, last, column = token.start[0] - 1, token.end[0] - 1, token.start[1]
            is_open = token.type == tokenize.OP and token.string in "([{"
            is_close = token.type == tokenize.OP and token.string in ")]}"
            if first < row:
                if last >= row:
                    return None
                above += is_open - is_close
                layout.continues = above > 0
            elif first == row:
                if last > row or token.type == tokenize.COMMENT:
                    return None
                if is_open:
                    inside.append(_Bracket(column, len(line)))
                    layout.brackets += inside if len(inside) == 1 else []
                elif is_close and inside:
                    inside.pop().end = column
                elif is_close:
                    above -= 1
                elif token.string == "," and len(inside) < 2:
                    is_at_level = above > 0 or not layout.continues
                    commas = inside[0].commas if inside else layout.commas if is_at_level else []
                    commas.append(_next(line, column + 1))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    return None if inside else layout


def _next(line: str, column: int) -> int:
    """Where the next thing in a line begins."""
    return len(line) - len(line[column:].lstrip(" "))
