"""Tabs beside spaces, which Python 3 refuses where Python 2 took a tab for up to eight columns."""

from __future__ import annotations

import io
import re
import tokenize

from torchfix_codemods.documents.readable import Unreadable, read_as_python

#: So many places are written like the rest of a file; where there are more, all of it is.
_MOST_PLACES = 40


def with_one_indentation(text: str) -> str:
    """A text of which Python 3 can read the indentation, the columns of Python 2 being the same.

    Where a few lines are the obstacle, they are indented as most lines are; else all are by spaces.
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
    for _ in range(_MOST_PLACES):
        try:
            read_as_python("\n".join(lines))
            return "\n".join(lines)
        except Unreadable as error:
            first = max((n for n in others if n < (error.line or 0)), default=None)
        if first is None:
            break
        # What is said of the first of them stands as deep as that does.
        while first - 1 in others and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        for number in range(first, len(lines)):
            if number not in others:
                break
            others.remove(number)
            indent = _indent(lines[number])
            lines[number] = _indented_as(indent, by_tabs) + lines[number][len(indent) :]
    return _without_tabs(text)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _indented_as(line: str, by_tabs: bool) -> str:
    columns = len(_indent(line).expandtabs(8))
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
