"""Continuation lines follow the opening bracket, or the line that it stands in, where it moves.

Those behind a backslash follow the line that begins the statement.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from torchfix_codemods.patterns import lazy_pattern

#: Statements of more lines, by the product of those before and after, are taken to lose none.
_MOST_COMPARED = 250_000

#: A line so far from where it would stand right behind a bracket was aligned with it.
_NEARLY = 2

#: Deeper below the line that opens the bracket than lines that are only indented.
_INDENTED = 12

_FIRST = lazy_pattern(r"[\w.]+|\S")


@dataclass
class _Line:
    """One physical line that starts with a token."""

    indent: int
    bracket: tuple[int, int] | None
    """Row (from 0) and column of the innermost bracket open at the start of the line."""
    begun: int | None = None
    """The row that begins the statement, of a line behind a backslash."""


def realigned(before: str, after: str) -> str:
    """Move the continuation lines of a rewritten statement with their bracket.

    Args:
        before: the statement as it was, with whole lines.
        after: the statement after rewriting, with whole lines.

    Returns:
        ``after``, in which every line that stood right behind an open bracket in ``before``
        stands right behind the innermost bracket open there now, one that missed that by a letter
        or two misses it as before, and every other one is indented as deep as before below the
        line that opens the bracket. Lines behind a backslash are as deep as before below the line
        that begins the statement. Unchanged where tabs stand elsewhere than in front of all lines
        alike: nobody knows how wide they are.
    """
    if not _may_continue(after):
        return after
    if "\t" in before:
        return _realigned_behind_tabs(before, after)
    old, new = _lines_of(before), _lines_of(after)
    if old is None or new is None:
        return after
    lines = after.split("\n")
    origins = _origins(before.split("\n"), lines)
    places = {origin: row for row, origin in origins.items()}
    shifts: dict[int, int] = {}
    below: dict[tuple[int, int], int] = {}
    for row, line in new.items():
        was = old.get(origins.get(row, -1)) if row else None
        indent = None
        if line.bracket is not None and was is None:
            # A line more, as deep as those above it were.
            if line.indent == below.get(line.bracket):
                indent = line.bracket[1] + 1
        elif line.bracket is not None and was is not None and was.bracket is not None:
            if was.indent == was.bracket[1] + 1:
                below[line.bracket] = was.indent
                behind = _word_behind(was.bracket, before.split("\n"))
                place = places.get(was.bracket[0], -1)
                indent = _without_bracket(behind, line.bracket, place, after)
            elif _is_nearly_behind(was, old, before.split("\n")):
                indent = line.bracket[1] + was.indent - was.bracket[1]
            else:
                indent = _hanging(line, was, old, new)
        elif line.begun is not None and was is not None and was.begun is not None:
            if was.indent == line.indent:
                indent = new[line.begun].indent + was.indent - old[was.begun].indent
        if indent is not None and indent >= 0:
            indent += shifts.get(line.bracket[0], 0) if line.bracket is not None else 0
            shifts[row] = indent - line.indent
            lines[row] = " " * indent + lines[row][line.indent :]
    return "\n".join(lines)


def _realigned_behind_tabs(before: str, after: str) -> str:
    """The same of lines that all begin with the same tabs, which are no part of what is aligned."""
    tabs = before[: len(before) - len(before.lstrip("\t"))]
    lines = [*before.split("\n"), *after.split("\n")]
    bare = [line.removeprefix(tabs) for line in lines]
    if any("\t" in line for line in bare) or not all(
        line.startswith(tabs) for line in lines if line
    ):
        return after
    end = before.count("\n") + 1
    moved = realigned("\n".join(bare[:end]), "\n".join(bare[end:]))
    return "\n".join(tabs + line if line else line for line in moved.split("\n"))


def _may_continue(code: str) -> bool:
    """Whether a line of some code may follow an open bracket or a backslash.

    That is far faster to tell than by its tokens.
    """
    return "\\\n" in code or any(
        sum(map(line.count, "([{")) != sum(map(line.count, ")]}")) for line in code.split("\n")
    )


def _word_behind(bracket: tuple[int, int], lines: list[str]) -> str:
    """The word that stands right behind a bracket."""
    found = re.match(r"\w*", lines[bracket[0]][bracket[1] + 1 :])
    return found.group() if found is not None else ""


def _without_bracket(behind: str, bracket: tuple[int, int], row: int, after: str) -> int:
    """How deep a line stands that followed a bracket: what it follows now may begin its line."""
    lines = after.split("\n")
    if bracket[0] != row and 0 <= row < len(lines):
        above = lines[row].lstrip(" ")
        if behind and re.match(rf"{behind}\b", above):
            return len(lines[row]) - len(above)
    return bracket[1] + 1


def _is_nearly_behind(was: _Line, old: dict[int, _Line], lines: list[str]) -> bool:
    """Whether a line followed what stands behind its bracket, but for a letter or two."""
    assert was.bracket is not None
    row, column = was.bracket
    opening, behind = old.get(row), lines[row][column + 1 :].strip()
    is_near = abs(was.indent - column - 1) <= _NEARLY and behind[:1] not in ("", "#")
    return is_near and opening is not None and was.indent > opening.indent + _INDENTED


def _hanging(line: _Line, was: _Line, old: dict[int, _Line], new: dict[int, _Line]) -> int | None:
    """How deep a line stands that does not follow its bracket, but the line which opens that."""
    assert line.bracket is not None and was.bracket is not None
    opening, above = old.get(was.bracket[0]), new.get(line.bracket[0])
    if opening is None or above is None or was.indent != line.indent:
        return None
    deeper = was.indent - opening.indent
    return None if deeper < 0 else above.indent + deeper


def _origins(before: list[str], after: list[str]) -> dict[int, int]:
    """Which line of ``before`` each line of ``after`` was, by the words that they begin with."""
    from difflib import SequenceMatcher

    if len(before) * len(after) > _MOST_COMPARED:
        return {row: row for row in range(min(len(before), len(after)))}
    old, new = (list(map(_first_word, lines)) for lines in (before, after))
    result: dict[int, int] = {}
    for kind, start, end, place, stop in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind in ("equal", "replace"):
            # Lines are joined with, and new ones put before, those that stay.
            pairs = zip(range(stop - 1, place - 1, -1), range(end - 1, start - 1, -1), strict=False)
            result.update(pairs)
    return result


def _first_word(line: str) -> str:
    found = _FIRST.search(line)
    return "" if found is None else found.group()


def _lines_of(code: str) -> dict[int, _Line] | None:
    """The continuation lines of a statement, by row; None where it cannot be tokenized."""
    result: dict[int, _Line] = {}
    stack: list[tuple[int, int]] = []
    last_row, begun = -1, None
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            row, column = token.start[0] - 1, token.start[1]
            if token.type in (tokenize.NL, tokenize.NEWLINE):
                begun = begun if stack else None
            if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                continue
            if row > last_row and token.type != tokenize.ENDMARKER:
                behind = None if stack else begun
                result[row] = _Line(column, stack[-1] if stack else None, behind)
            begun = row if begun is None else begun
            last_row = max(last_row, token.end[0] - 1)
            if token.type == tokenize.OP:
                if token.string in "([{":
                    stack.append((row, column))
                elif token.string in ")]}" and stack:
                    stack.pop()
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    return result
