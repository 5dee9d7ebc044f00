"""Continuation lines follow the opening bracket, or the line that they go on, where it moves."""

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

_BETWEEN = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})

_FIRST = lazy_pattern(r"[\w.]+|\S")


@dataclass
class _Line:
    """One physical line that starts with a token."""

    indent: int
    bracket: tuple[int, int] | None
    """Row (from 0) and column of the innermost bracket open at the start of the line."""
    first: int | None = None
    """Row of the line that the statement begins in, where a backslash leads on from there."""


@dataclass
class _Moved:
    """Where a line in a bracket stood, and where it stands."""

    before: int
    after: int
    hangs: bool

    def goes_with(self, indent: int, code: str) -> int | None:
        """How deep another line of the bracket stands, or what closes it, that came from none."""
        if indent == self.before or (self.hangs and code.startswith((")", "]", "}"))):
            return max(0, indent + self.after - self.before)
        return None


def realigned(before: str, after: str) -> str:
    """Move the continuation lines of a rewritten statement with their bracket.

    Args:
        before: the statement as it was, with whole lines.
        after: the statement after rewriting, with whole lines.

    Returns:
        ``after``, in which every line that stood right behind an open bracket in ``before``
        stands right behind the innermost bracket open there now, one that missed that by a letter
        or two misses it as before, and every other one is indented as deep as before below the
        line that opens the bracket. Behind a backslash it is indented as deep as before below the
        first line of its statement. Where tabs stand elsewhere than in front of all lines alike,
        only those move: nobody knows how wide tabs are.
    """
    if "\\\n" in after:
        after = _with_their_statements(before, after)
    if not _may_continue(after):
        return after
    if "\t" in before:
        return _realigned_behind_tabs(before, after)
    old, new = _lines_of(before), _lines_of(after)
    if old is None or new is None:
        return after
    return "\n".join(_Realigning(before, after, old, new).lines())


class _Realigning:
    """The lines of one rewritten statement, from the first to the last."""

    def __init__(
        self, before: str, after: str, old: dict[int, _Line], new: dict[int, _Line]
    ) -> None:
        self._after, self._old, self._new = after, old, new
        self._lines_before, self._lines_after = before.split("\n"), after.split("\n")
        self._origins = _origins(self._lines_before, self._lines_after)
        self._places = {origin: row for row, origin in self._origins.items()}
        self._shifts: dict[int, int] = {}
        self._beside: dict[tuple[int, int], _Moved] = {}

    def lines(self) -> list[str]:
        """The lines, each of them where it is to stand."""
        lines = [*self._lines_after]
        for row, line in self._new.items():
            if line.bracket is None:
                continue
            was = self._old.get(self._origins.get(row, -1)) if row else None
            indent = self._indent(line, was, lines[row].lstrip(" "))
            if indent is not None:
                self._shifts[row] = indent - line.indent
                lines[row] = " " * indent + lines[row][line.indent :]
        return lines

    def _indent(self, line: _Line, was: _Line | None, code: str) -> int | None:
        """How deep a line stands; None where it stays."""
        assert line.bracket is not None
        indent, hangs = None, False
        if was is not None and was.bracket is not None:
            indent, hangs = self._below(line, line.bracket, was, was.bracket)
        above = self._beside.get(line.bracket)
        if indent is None:
            return above.goes_with(line.indent, code) if above is not None else None
        indent += self._shifts.get(line.bracket[0], 0)
        self._beside[line.bracket] = _Moved(line.indent, indent, hangs)
        return indent

    def _below(
        self, line: _Line, bracket: tuple[int, int], was: _Line, its: tuple[int, int]
    ) -> tuple[int | None, bool]:
        """How deep a line stands in its bracket where that did not move, and whether it hangs."""
        if self._is_aligned(was, its):
            ends = _ends_its_line(bracket, self._lines_after)
            if ends and not _ends_its_line(its, self._lines_before):
                return self._hanging_as_above(line, bracket, self._old.get(its[0], was)), True
            behind = _word_behind(its, self._lines_before)
            place = self._places.get(its[0], -1)
            return _without_bracket(behind, bracket, place, self._after), False
        if _is_nearly_behind(was, self._old, self._lines_before):
            return bracket[1] + was.indent - its[1], False
        return _hanging(line, was, self._old, self._new), True

    def _is_aligned(self, was: _Line, its: tuple[int, int]) -> bool:
        """Whether a line stood right behind its bracket, and not only by the length of a name."""
        opening = self._old.get(its[0])
        hangs = opening is not None and was.indent <= opening.indent + _INDENTED
        is_behind = was.indent == its[1] + 1
        return is_behind and not (hangs and _ends_its_line(its, self._lines_before))

    def _hanging_as_above(
        self, line: _Line, bracket: tuple[int, int], opening: _Line
    ) -> int | None:
        """How deep a line stands that went on behind a bracket which is gone: as those above it,
        or as the line did that this bracket stood in."""
        above = self._beside.get(bracket)
        if above is not None:
            return above.after - self._shifts.get(bracket[0], 0)
        return _hanging(line, opening, self._old, self._new)


def _with_their_statements(before: str, after: str) -> str:
    """Lines behind backslashes, as deep as before below the first line of their statement."""
    old, new = _lines_of(before), _lines_of(after)
    if old is None or new is None:
        return after
    above, lines = before.split("\n"), after.split("\n")
    for row, origin in _origins(above, lines).items():
        line, was = new.get(row), old.get(origin)
        if line is None or was is None or line.first is None or was.first is None:
            continue
        indent, first = above[origin][: was.indent], above[was.first][: old[was.first].indent]
        if lines[row][: line.indent] == indent and indent.startswith(first):
            moved = lines[line.first][: new[line.first].indent] + indent.removeprefix(first)
            lines[row] = moved + lines[row][line.indent :]
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
    """Whether a line of some code may follow an open bracket; far faster than its tokens tell."""
    return any(
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


def _ends_its_line(bracket: tuple[int, int], lines: list[str]) -> bool:
    """Whether nothing stands behind a bracket that what follows could be aligned with."""
    behind = lines[bracket[0]][bracket[1] + 1 :].lstrip()
    return behind[:1] in ("", "#")


def _is_nearly_behind(was: _Line, old: dict[int, _Line], lines: list[str]) -> bool:
    """Whether a line followed what stands behind its bracket, but for a letter or two."""
    assert was.bracket is not None
    row, column = was.bracket
    opening, behind = old.get(row), lines[row][column + 1 :].strip()
    is_near = abs(was.indent - column - 1) <= _NEARLY and behind[:1] not in ("", "#")
    return is_near and opening is not None and was.indent > opening.indent + _INDENTED


def _hanging(line: _Line, was: _Line, old: dict[int, _Line], new: dict[int, _Line]) -> int | None:
    """How deep a line stands that does not follow its bracket, but the line which opens that."""
    if line.bracket is None or was.bracket is None:
        return None
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
    last_row = first = -1
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            row, column = token.start[0] - 1, token.start[1]
            if token.type in _BETWEEN:
                first = -1 if token.type == tokenize.NEWLINE else first
                continue
            if row > last_row and token.type != tokenize.ENDMARKER:
                goes_on = first >= 0 and not stack
                result[row] = _Line(
                    column, stack[-1] if stack else None, first if goes_on else None
                )
            if first < 0 and token.type != tokenize.COMMENT:
                first = row
            last_row = max(last_row, token.end[0] - 1)
            if token.type == tokenize.OP:
                if token.string in "([{":
                    stack.append((row, column))
                elif token.string in ")]}" and stack:
                    stack.pop()
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    return result
