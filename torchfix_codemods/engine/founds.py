"""Places that were found: which of them are one, and which go together."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from torchfix_codemods.engine.fstrings import is_in_fstring
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Finding, Numerics, strongest
from torchfix_codemods.rule import Found


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings in their order, without advice that its line was given already."""
    said = set()
    for finding in findings:
        if not finding.fixed and finding.numerics is Numerics.ADVICE:
            key = finding.line, finding.code, finding.message
            if key in said:
                continue
            said.add(key)
        yield finding


def each_once(founds: Iterable[Found]) -> list[Found]:
    """The places that were found, those of a group once each: two functions may mean one call.

    The same place twice in a group would be in its own way.
    """
    result: dict[object, Found] = {}
    for found in founds:
        region = found.region
        parts = [region] if region is None or isinstance(region, ast.AST) else region
        key = (found.rule, found.node, found.message, found.group, *map(id, parts))
        result.setdefault(found if found.group is None else key, found)
    return list(result.values())


def with_reasons(founds: Sequence[Found]) -> list[Found]:
    """The places, those of a group with the strongest of their reasons."""
    members: dict[str, list[Found]] = {}
    for found in founds:
        if found.group is not None:
            members.setdefault(found.group, []).append(found)
    reasons = {group: strongest(f.reason for f in parts) for group, parts in members.items()}
    return [f if f.group is None else replace(f, reason=reasons[f.group]) for f in founds]


def stands_in_fstring(found: Found, facts: Facts) -> bool:
    """Whether what would be rewritten is part of an f-string."""
    return isinstance(found.region, ast.expr) and is_in_fstring(found.region, facts)


def without(founds: Sequence[Found], dropped: Sequence[Found]) -> list[Found]:
    """``founds`` without some, and without those that only make sense together with these."""
    gone = set(map(id, dropped))
    groups = {found.group for found in dropped} - {None}
    return [f for f in founds if id(f) not in gone and f.group not in groups]
