"""Tabs beside spaces, which Python 3 refuses where Python 2 took a tab for up to eight columns."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from itertools import pairwise

from torchfix_codemods.documents.readable import Unreadable, read_as_python

#: So many places are written like the rest of a file; where there are more, all of it is.
_MOST_PLACES = 40
#: So many columns a tab was at most to Python 2.
_TAB = 8


def with_one_indentation(text: str) -> str:
    """A text of which Python 3 can read the indentation, the columns of Python 2 being the same.

    Where a few lines are the obstacle, they are indented as most lines are: by as many columns, or
    in a file of tabs by one for each block they are in. Else all are by spaces.
    """
    lines = text.split("\n")
    inside = lines_in_strings(text)
    indented = [
        number
        for number, line in enumerate(lines)
        if line[:1] in (" ", "\t") and line.strip() and number + 1 not in inside
    ]
    by_tabs = 2 * sum("\t" in _indent(lines[number]) for number in indented) > len(indented)
    others = {n for n in indented if _indent(lines[n]) != _indented_as(lines[n], by_tabs)}
    changed: list[int] = []
    for _ in range(_MOST_PLACES):
        try:
            read = read_as_python("\n".join(lines))
            return _with_steps(lines, changed, read)
        except Unreadable as error:
            line = error.line or 0
            first = max((n for n in others if n < line), default=None)
        if first is None:
            block = _block_in_tabs(lines, line) if by_tabs else {}
            if not block:
                break
            for number, written in block.items():
                lines[number] = written
            continue
        # What is said of the first of them stands as deep as that does.
        while first - 1 in others and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        for number in range(first, len(lines)):
            if number not in others:
                break
            others.remove(number)
            changed.append(number)
            indent = _indent(lines[number])
            lines[number] = _indented_as(indent, by_tabs) + lines[number][len(indent) :]
    return _without_tabs(text)


def _with_steps(lines: list[str], changed: list[int], read: ast.Module) -> str:
    """The text in which blocks of the changed lines stand as far in as those of the others do.

    A tab more was eight columns more to Python 2, and one block more to the person.

    Args:
        lines: all lines.
        changed: the numbers of those that were indented by tabs and are so by spaces now.
        read: what the lines say.
    """
    as_they_are, own = "\n".join(lines), set(changed)
    columns = [_columns(line) for n, line in enumerate(lines) if line.strip() and n not in own]
    steps = Counter(b - a for a, b in pairwise(columns) if b > a)
    step = steps.most_common(1)[0][0] if steps else _TAB
    if step >= _TAB or not changed or "\t" in _indent(lines[changed[0]]):
        return as_they_are
    stepped, first = [*lines], 0
    for number in sorted(own):
        here = _columns(lines[number])
        if number - 1 not in own:
            first = here
        blocks, rest = divmod(here - first, _TAB)
        if blocks > 0:
            stepped[number] = " " * (first + blocks * step + rest) + lines[number].lstrip(" ")
    result = "\n".join(stepped)
    try:
        is_same = ast.dump(read_as_python(result)) == ast.dump(read)
    except Unreadable:
        return as_they_are
    return result if is_same else as_they_are


def _block_in_tabs(lines: list[str], line: int) -> dict[int, str]:
    """The lines to change where a statement of the module level is to have a tab a block.

    ``  for i in x:`` above a body of two tabs is so deep to Python 2, and in no way to Python 3.

    Args:
        lines: all lines.
        line: the number of one of the statement's, from 1.
    """
    depths = _depths(lines)
    indented = {n: depth for n, depth in depths.items() if depth}
    as_tabs = [n for n, depth in indented.items() if _indent(lines[n]) == "\t" * depth]
    if 2 * len(as_tabs) <= len(indented):
        # There a tab stands for two blocks of four columns.
        return {}
    start = max((n for n, depth in depths.items() if n < line and not depth), default=0)
    end = min((n for n, depth in depths.items() if n > start and not depth), default=len(lines))
    inside = {n: depth for n, depth in depths.items() if start <= n < end}
    by_columns = {_columns(lines[n]): depth for n, depth in inside.items()}
    for number in range(start, end):
        columns = _columns(lines[number])
        if lines[number].lstrip().startswith("#") and columns in by_columns:
            inside.setdefault(number, by_columns[columns])
    written = {n: "\t" * depth + lines[n].lstrip(" \t\f") for n, depth in inside.items()}
    return {n: text for n, text in written.items() if text != lines[n]}


def _depths(lines: list[str]) -> dict[int, int]:
    """In how many blocks each line is that begins a statement, by what Python 2 makes of tabs.

    The lines are counted from 0; there are none where it refuses the text.
    """
    depths: dict[int, int] = {}
    depth, is_first = 0, True
    try:
        for token in tokenize.generate_tokens(
            io.StringIO(_without_tabs("\n".join(lines))).readline
        ):
            if token.type in (tokenize.INDENT, tokenize.DEDENT):
                depth += 1 if token.type == tokenize.INDENT else -1
            elif token.type not in (tokenize.NL, tokenize.COMMENT):
                if is_first:
                    depths[token.start[0] - 1] = depth
                is_first = token.type == tokenize.NEWLINE
    except (tokenize.TokenError, SyntaxError):
        return {}
    return depths


def _columns(line: str) -> int:
    return len(_indent(line).expandtabs(8))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _indented_as(line: str, by_tabs: bool) -> str:
    columns = _columns(line)
    return "\t" * (columns // 8) + " " * (columns % 8) if by_tabs else " " * columns


def _without_tabs(text: str) -> str:
    """A text whose lines are indented by spaces alone; Python 2 took a tab for up to eight."""
    inside: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        # The indentation is what cannot be read; strings of several lines are told by their quotes.
        inside = lines_in_strings(text)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        code = line.lstrip(" \t\f")
        if number not in inside:
            indent = line[: len(line) - len(code)]
            lines[number - 1] = indent.expandtabs(8) + code
    return "\n".join(lines)


_STRING = re.compile(
    r"#[^\n]*|('''|\"\"\")(?:\\.|(?!\1).)*\1|(['\"])(?:\\.|(?!\2)[^\n])*\2", re.DOTALL
)


def lines_in_strings(text: str) -> set[int]:
    """The lines that begin inside of a string."""
    result: set[int] = set()
    for match in _STRING.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        result.update(range(first + 1, first + match[0].count("\n") + 1))
    return result
