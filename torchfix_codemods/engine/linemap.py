"""Which line of the file as it was read each line of the rewritten text comes from."""

from __future__ import annotations

import functools
import re
import tokenize
from bisect import bisect_right
from collections.abc import Sequence

from torchfix_codemods.engine.edits import Edit, line_starts
from torchfix_codemods.patterns import lazy_pattern

#: A block of more lines is not compared line by line, and of lines less alike none is chosen.
_MOST_COMPARED = 8
_ALIKE = 0.4

#: ``import Variable as Var``, and ``Var = torch.autograd.Variable``.
_CALLED = lazy_pattern(
    rb"\bVariable[ \t]+as[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=[ \t]*(?:[\w.]+\.)?Variable[ \t]*\r?$",
    re.MULTILINE,
)


class LineMap:
    """The lines of a text under rewriting.

    ``origin(line)`` is the line's number in the file as it was read; ``touched`` holds the lines
    that a rewrite wrote. Lines count from 1.
    """

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-8")
        self._starts = line_starts(self._data)
        self._origins = list(range(1, len(self._starts) + 1))
        self.touched: set[int] = set()

    @functools.cached_property
    def widths(self) -> list[int]:
        """The lengths of the lines of the file as it was read, the longest first."""
        return sorted(map(len, self._data.decode("utf-8").splitlines()), reverse=True)

    def origin(self, line: int) -> int:
        """The number that ``line`` had in the file as it was read."""
        return self._origins[min(line, len(self._origins)) - 1]

    def as_read(self, line: int) -> str:
        """What ``line`` comes from in the file as it was read."""
        number = self.origin(line)
        end = self._starts[number] if number < len(self._starts) else len(self._data)
        return self._data[self._starts[number - 1] : end].decode("utf-8")

    def had_variable(self, line: int) -> bool:
        """Whether what ``line`` comes from names the class ``Variable``, whatever it is called."""
        return self._variable.search(self.as_read(line)) is not None

    @functools.cached_property
    def _variable(self) -> re.Pattern[str]:
        """``Variable``, and ``Var`` where the file as it was read has that for it."""
        called = (name.decode("utf-8") for pair in _CALLED.findall(self._data) for name in pair)
        return re.compile(rf"\b(?:{'|'.join(['Variable', *filter(None, called)])})\b")

    def statement_as_read(self, line: int) -> str:
        """The whole lines of the file as it was read, from what ``line`` comes from to where the
        statement ends that begins there; of one with others in it, its header."""
        lines = self._data[self._starts[self.origin(line) - 1] :].decode("utf-8").splitlines(True)
        try:
            for token in tokenize.generate_tokens(iter(lines).__next__):
                if token.type == tokenize.NEWLINE:
                    return "".join(lines[: token.end[0]])
        except (tokenize.TokenError, SyntaxError):
            pass
        return lines[0] if lines else ""

    def move(self, before: str, after: str, edits: Sequence[Edit]) -> None:
        """Carry the map over one round of edits, which are in order and do not overlap."""
        data = before.encode("utf-8")
        old_starts = line_starts(data)
        new_starts = line_starts(after.encode("utf-8"))
        old_lines: list[int] = []
        written: set[int] = set()
        shift = 0
        for edit in edits:
            start = edit.start + shift
            first = bisect_right(new_starts, start)
            old_first = bisect_right(old_starts, edit.start)
            # The lines between the last edit and this one moved as a whole.
            distance = old_first - first
            old_lines += [line + distance for line in range(len(old_lines) + 1, first)]
            inner = _continued(_lines(data[edit.start : edit.end]), _lines(edit.text))
            position = len(old_lines) + 1 - first
            old_lines += [old_first + line for line in inner[position:]]
            if edit.founds:
                # What stands behind whole lines is the next line, as it was.
                is_whole = data[edit.start : edit.end].endswith((b"\n", b"\r"))
                is_next = is_whole and (not edit.text or edit.text.endswith((b"\n", b"\r")))
                written.update(range(first, first + len(inner) - is_next))
            shift += len(edit.text) - (edit.end - edit.start)
        distance = len(old_starts) - len(new_starts)
        old_lines += [line + distance for line in range(len(old_lines) + 1, len(new_starts) + 1)]
        old_lines = old_lines[: len(new_starts)]
        touched = {n for n, old in enumerate(old_lines, 1) if old in self.touched}
        self.touched = touched | written
        self._origins = [self.origin(line) for line in old_lines]


def _lines(text: bytes) -> list[bytes]:
    """The lines that a region touches, the last one also where it is empty."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[-1].endswith((b"\n", b"\r")):
        lines.append(b"")
    return [line.strip() for line in lines[:-1]] + lines[-1:]


def _continued(old: list[bytes], new: list[bytes]) -> list[int]:
    """As :func:`matched_lines`; what stands behind whole lines is the same line as before."""
    if old[-1] or new[-1]:
        return matched_lines(old, new)
    return [*matched_lines(old[:-1], new[:-1]), len(old) - 1]


def matched_lines(old: list[bytes], new: list[bytes]) -> list[int]:
    """For each line of a rewritten region the line (from 0) of the old region it continues.

    Where a block has another number of lines now, each continues the one that is most alike:
    ``x.cuda()`` that of ``x.cuda())`` below ``Variable(``. A line that went elsewhere keeps its
    number there.
    """
    from difflib import SequenceMatcher

    result = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    codes = matcher.get_opcodes()
    gone = [n for kind, start, end, *_ in codes if kind != "equal" for n in range(start, end)]
    moved = {old[n]: n for n in gone if old[n] and old.count(old[n]) == 1}
    for kind, old_from, old_to, new_from, new_to in codes:
        last = max(old_from, old_to - 1)
        is_short = new_to - new_from < old_to - old_from <= _MOST_COMPARED
        for number in range(new_from, new_to):
            if kind != "equal" and new[number] in moved:
                result.append(moved[new[number]])
                continue
            compared = old[old_from:old_to] if is_short else []
            likeness = [_likeness(new[number], line) for line in compared]
            best = max(likeness, default=0.0)
            is_known = best >= _ALIKE and likeness.count(best) == 1
            offset = likeness.index(best) if is_known else number - new_from
            result.append(min(old_from + offset, last))
    return result


def _likeness(new: bytes, old: bytes) -> float:
    """How much of a line stands in another one, in its order."""
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size > 1) / max(len(new), 1)
