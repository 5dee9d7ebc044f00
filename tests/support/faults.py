"""Rewrites of programs that can be made together, and where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.support.verifying import Judged, file_with, lines_of, texts_of
from tests.verify.cases import RIGHT
from tests.verify.cases.edits import Pair, pairs_of
from torchfix_codemods.verify.verdicts import Outcome

Spot = tuple[str, int, int]
"""A file, a line counted from 0, and the one behind the last."""


@dataclass
class Edit:
    """One rewrite of a program, by its name."""

    name: str
    pairs: Sequence[Pair]
    spots: Sequence[Spot]

    def is_apart(self, others: Iterable[Edit]) -> bool:
        """Whether a rewrite shares no line, nor stands next to one, of any of others."""
        return all(
            path != other_path or last < start or end < first
            for other in others
            for path, first, last in self.spots
            for other_path, start, end in other.spots
        )

    def outcomes(self, judged: Judged) -> list[Outcome]:
        """What was said of the hunks that it is in."""
        return [found for path, *lines in self.spots for found in judged.at(*lines, path)]


def edit_of(program: str, name: str, pairs: Sequence[Pair]) -> Edit:
    """A rewrite with the places that it has in a program."""
    texts = texts_of(program)
    paths = [file_with(texts, old) for old, _ in pairs]
    spots = [
        (path, *lines_of(texts[path], old)) for path, (old, _) in zip(paths, pairs, strict=True)
    ]
    return Edit(name, pairs, spots)


def right_of(program: str) -> list[list[Edit]]:
    """The right rewrites of a program, in as few groups as they do not overlap in."""
    groups: list[list[Edit]] = []
    for name, entry in RIGHT[program].items():
        edit = edit_of(program, name, pairs_of(entry))
        for group in groups:
            if edit.is_apart(group):
                group.append(edit)
                break
        else:
            groups.append([edit])
    return groups


def all_pairs(edits: Iterable[Edit]) -> list[Pair]:
    """The pairs of several rewrites."""
    return [pair for edit in edits for pair in edit.pairs]
