"""What a rewrite of a program is in these tables, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Mapping

from torchfix_codemods.verify.verdicts import Verdict

DIFFERENT, BROKEN = Verdict.DIFFERENT, Verdict.BROKEN

Pair = tuple[str, str]
"""A text that stands once in the program, and what it becomes."""

Right = Mapping[str, Pair | tuple[Pair, ...]]
"""By name: one such pair, or several that are one change."""

Wrong = Mapping[str, tuple[str, str, Verdict, str | None]]
"""By name: a pair, what is to be said of it, and the kind of the first event that differs."""


def pairs_of(edit: Pair | tuple[Pair, ...] | tuple[str, str, Verdict, str | None]) -> list[Pair]:
    """The pairs that an entry of a table holds."""
    return [(edit[0], edit[1])] if isinstance(edit[0], str) else list(edit)
