"""Which rewrites take away what dates a file, or write what makes it look newer.

Some rules ask how old a file is. What was rewritten may have shown that, so a second run could take
the same file for another one. Then the rewrites that this hangs on are left alone, and the rest of
the file need not wait.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field

from torchfix_codemods.engine.edits import line_starts
from torchfix_codemods.engine.regions import Applied
from torchfix_codemods.facts.age.dating import Clue, words_after
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.rule import Definition, Found

Key = tuple[int, str]
"""A rewrite: the line in the file as it was read, and the code of its rule."""

#: Once that is told, nothing has to wait.
_HANGS = (
    "how line {} is rewritten depends on the torch that this file is for: say which with --from"
)

_WORD = lazy_pattern(r"\w+")


@record
class Kept:
    """What is left alone because the date of the file hangs on it."""

    reasons: Mapping[Key, str] = field(default_factory=dict)


@record
class _Rewrite:
    keys: frozenset[Key]
    lines: range
    """Those that it changed, as they were counted in the file as it was read."""
    before: str
    """What stood there."""
    after: str

    def adds(self, word: str) -> int:
        """How often a word stands there more than before."""
        return _WORD.findall(self.after).count(word) - _WORD.findall(self.before).count(word)


class Rewrites:
    """The rewrites of a run."""

    def __init__(self) -> None:
        self._done: list[_Rewrite] = []

    def note(self, text: str, applied: Applied, origin: Callable[[int], int]) -> None:
        """Remember the rewrites of a round.

        Args:
            text: what was rewritten.
            applied: the round.
            origin: tells which line of the file as it was read a line of ``text`` comes from.
        """
        data = text.encode("utf-8")
        starts = line_starts(data)
        for edit in applied.edits:
            first = bisect_right(starts, edit.start)
            last = bisect_right(starts, max(edit.start, edit.end - 1))
            before = data[edit.start : edit.end].decode("utf-8")
            after = edit.text.decode("utf-8")
            lines = range(origin(first), origin(last) + 1)
            self._done.append(_Rewrite(_keys(edit.founds, origin), lines, before, after))
        for found in applied.founds:
            for need in found.needs:
                if isinstance(need, Definition):
                    self._done.append(_Rewrite(_keys([found], origin), range(0), "", need.text))

    def taking(self, clue: Clue) -> set[Key]:
        """The rewrites that took a clue away."""
        word = clue.word
        return {
            key
            for rewrite in self._done
            if clue.line in rewrite.lines and (not word or rewrite.adds(word) < 0)
            for key in rewrite.keys
        }

    def writing(self, words: Collection[str]) -> set[Key]:
        """The rewrites that brought certain words in."""
        return {
            key
            for rewrite in self._done
            if any(rewrite.adds(word) > 0 for word in words)
            for key in rewrite.keys
        }


def dating(before: Facts, after: Facts, rewrites: Rewrites, line: int) -> dict[Key, str]:
    """The rewrites by which a file looks as if written for another torch, and why they must wait.

    Args:
        before: the file as it was read.
        after: what it would have become.
        rewrites: those in between.
        line: the one that a second run would read in another way.
    """
    clues = before.clues
    newest = before.era.newest
    new = set() if newest is None else words_after(after.names, newest)
    keys = rewrites.writing(new)
    for clue in (clues.newer, clues.older):
        keys |= set() if clue is None else rewrites.taking(clue)
    return dict.fromkeys(keys, _HANGS.format(line))


def _keys(founds: Sequence[Found], origin: Callable[[int], int]) -> frozenset[Key]:
    return frozenset((_line(f, origin), f.rule.code) for f in founds if f.rule.code)


def _line(found: Found, origin: Callable[[int], int]) -> int:
    return origin(getattr(found.node, "lineno", 1))
