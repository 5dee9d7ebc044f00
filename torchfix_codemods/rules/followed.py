"""The base of the rules that are what the catalogue's rows with their code say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchfix_codemods.catalogue import rows_of
from torchfix_codemods.catalogue.rows import Row
from torchfix_codemods.facts.era import Version, parse_version
from torchfix_codemods.rule import Rule


class Followed(Rule):
    """Base of the rules that follow rows: those of the catalogue with the code of the subclass."""

    rows: Sequence[Row] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "code" in vars(cls):
            cls.rows = rows_of(cls.code)
            cls.words = frozenset().union(*(row.words for row in cls.rows))

    def for_target(self, newest: Version) -> Rule | None:
        # A new one: what this one has derived from its rows does not hold for fewer.
        rule = type(self)()
        rule.rows = [row for row in self.rows if parse_version(row.since) <= newest]
        return rule if rule.rows else None
