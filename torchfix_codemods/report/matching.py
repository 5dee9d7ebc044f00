"""Which lines of two texts are the same."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from torchfix_codemods.finding import LineChange

#: Comparing all lines with all others would take too long from here on.
_LONG = 10_000


def changed_lines(before: Sequence[str], after: Sequence[str]) -> tuple[LineChange, ...]:
    """Which lines of one text become which of the other.

    As ``difflib.unified_diff`` has it, which takes lines that come often for changed where they are
    not: ``return model`` at the end of many functions.

    Args:
        before: the lines of one text.
        after: the lines of the other.
    """
    is_long = len(before) > _LONG
    matcher = difflib.SequenceMatcher(None, before, after) if is_long else Matcher(before, after)
    return tuple((a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal")


class Matcher(difflib.SequenceMatcher[str]):
    """What ``difflib`` finds with ``autojunk=False``, sooner where the texts have much in common.

    Args:
        before: the lines of one text.
        after: the lines of the other.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, (), (), autojunk=False)
        # Not set_seqs(), which lists all places of all lines.
        self.a, self.b = before, after
        places: dict[str, int] = {}
        for place, line in enumerate(after):
            places[line] = -2 if line in places else place
        # Where the only such line of the other text is; -1 for none, -2 for several.
        self._only = [places.get(line, -1) for line in before]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        ahi = len(self.a) if ahi is None else ahi
        bhi = len(self.b) if bhi is None else bhi
        found = self._through_only_lines(alo, ahi, blo, bhi)
        return found or self._within(alo, ahi, blo, bhi)

    def _within(self, alo: int, ahi: int, blo: int, bhi: int) -> difflib.Match:
        before, after = self.a[alo:ahi], self.b[blo:bhi]
        i, j, size = difflib.SequenceMatcher(
            None, before, after, autojunk=False
        ).find_longest_match()
        return difflib.Match(alo + i, blo + j, size)

    def _through_only_lines(self, alo: int, ahi: int, blo: int, bhi: int) -> difflib.Match | None:
        """The longest match, if it has a line that is there once; None where another may be longer.

        There is one match at most through each such line; all others lie between these lines.
        """
        longest = (0, 0, 0)
        covered = alo
        between = longest_between = 0
        for i, j in enumerate(self._only[alo:ahi], alo):
            if j == -2:
                between += 1
                longest_between = max(between, longest_between)
                continue
            between = 0
            if i >= covered and blo <= j < bhi:
                shift = j - i
                first, last = max(alo, blo - shift), min(ahi, bhi - shift)
                start, covered = self._around(i, shift, first, last)
                longest = max(longest, (covered - start, -start, -(start + shift)))
        size, start, other = longest
        return difflib.Match(-start, -other, size) if size > longest_between else None

    def _around(self, i: int, shift: int, first: int, last: int) -> tuple[int, int]:
        """How far the lines around one are the same, between two others."""
        before, after = self.a, self.b
        start, end = i, i + 1
        while start > first and before[start - 1] == after[start - 1 + shift]:
            start -= 1
        while end < last and before[end] == after[end + shift]:
            end += 1
        return start, end
