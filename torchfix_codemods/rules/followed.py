"""The base of the rules that are what the catalogue's rows with their code say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torchfix_codemods.catalogue import rows_of
from torchfix_codemods.catalogue.rows import Row
from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.rule import Rule


class Followed(Rule):
    """Base of the rules that follow rows: those of the catalogue with the code of the subclass."""

    rows: Sequence[Row] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "code" in vars(cls):
            cls.rows = rows_of(cls.code)
            cls.words = words_of(cls.rows)

    def for_target(self, newest: Version) -> Rule | None:
        rule = self._with([row for row in self.rows if parse_version(row.since) <= newest])
        if rule is not None:
            rule.target = newest
        return rule

    def for_other_libraries(self) -> Rule | None:
        rule = self._with([row for row in self.rows if not row.is_about_torch])
        if rule is not None:
            rule.words = words_of(rule.rows)
        return rule

    def _with(self, rows: Sequence[Row]) -> Followed | None:
        """The rule as far as it follows some of its rows."""
        # A new one: what this one has derived from its rows does not hold for fewer.
        rule = type(self)()
        rule.rows = rows
        rule.target = self.target
        return rule if rows else None


def words_of(rows: Iterable[Row]) -> frozenset[str]:
    """The words without one of which a file has nothing for any of the rows."""
    return frozenset().union(*(row.words for row in rows))
