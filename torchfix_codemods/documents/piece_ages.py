"""How old the lines of a program are that is made of the pieces of a document."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from torchfix_codemods.facts.age.ages import Ages, Kept
from torchfix_codemods.facts.age.era import Version


def ages_of_program(ages: Ages, lines: Callable[[], Sequence[int | None]]) -> Ages:
    """What is known of the age of the lines of a program.

    Args:
        ages: what is known of those of the document.
        lines: gives for each line of the program the line of the document, counted from 1; None
            for one that stands between two pieces. Asked only where something is known.
    """

    def among(known: Set[int]) -> frozenset[int]:
        return frozenset(n for n, line in numbered() if line in known) if known else frozenset()

    def by_line(newest: Mapping[int, Version]) -> Mapping[int, Version]:
        return {n: newest[line] for n, line in numbered() if line in newest} if newest else {}

    @functools.cache
    def numbered() -> list[tuple[int, int]]:
        return [*enumerate(_without_gaps(lines()), 1)]

    def kept() -> Kept:
        whole = ages.kept
        return replace(
            whole,
            known=among(whole.known),
            written=among(whole.written),
            newest=by_line(whole.newest),
        )

    return Ages(kept, lambda: by_line(ages.newest))


def _without_gaps(lines: Sequence[int | None]) -> list[int]:
    """The lines of the document; what stands between two pieces is as old as what follows it."""
    result: list[int] = []
    last = next((line for line in reversed(lines) if line is not None), 0)
    for line in reversed(lines):
        last = last if line is None else line
        result.append(last)
    return result[::-1]
