"""How old the lines of a file are, where more is known of that than they say themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from torchfix_codemods.facts.age.era import Era, Version, dotted, last_release
from torchfix_codemods.record import record

#: A column, the code and the name of what is said, and the message.
Told = tuple[int, str, str, str]


@record
class Kept:
    """What an earlier run knew of a file before it rewrote it.

    Lines count from 1 in the file as it was read.
    """

    era: Era = field(default_factory=Era)
    """The torch versions that ``known`` lines were written for."""
    known: frozenset[int] = frozenset()
    """The lines that are as that run left them."""
    written: frozenset[int] = frozenset()
    """Those that it wrote: their words say nothing of the age of the code."""
    is_whole: bool = False
    """Whether nothing was changed in the file since."""
    newest: Mapping[int, Version] = field(default_factory=dict)
    """The last torch that there was when a line was written, as git told that run."""
    told: Mapping[int, tuple[Told, ...]] = field(default_factory=dict)
    """What was said of a line, and cannot be seen in it any more, as it was Python 2."""


NOTHING_KEPT = Kept()


class Ages:
    """What is known of the age of lines, each part looked up when it is first asked for.

    Args:
        kept: gives what an earlier run knew.
        history: gives the last torch that there was when a line was written, as git tells it.
    """

    def __init__(
        self,
        kept: Callable[[], Kept] = lambda: NOTHING_KEPT,
        history: Callable[[], Mapping[int, Version]] = dict,
    ) -> None:
        self._kept = kept
        self._history = history
        self.uses: dict[Version, Version | None] = {}
        """What the lines up to a release need, as the first round of a run found it."""

    @functools.cached_property
    def kept(self) -> Kept:
        return self._kept()

    @functools.cached_property
    def newest(self) -> Mapping[int, Version]:
        """By line, the last torch that there was when it was written, where that is known."""
        return self.kept.newest or self._history()

    def of_last(self, lines: Sequence[str]) -> Era:
        """For which torch there can have been code when the last line of a file was written.

        Args:
            lines: those of the file.
        """
        newest = self.newest
        if not newest or any(n not in newest for n, line in enumerate(lines, 1) if line.strip()):
            return Era()
        last = max(newest.values(), key=last_release)
        return Era(None, last, (f"no line was written after torch {dotted(last)} (git blame)",))
