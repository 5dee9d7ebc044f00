"""One requirement of torch, as pip, conda and poetry write it: the versions that it allows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.facts.age.releases import RELEASES
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record

_EARLIER: Version = (0,)
_LATER: Version = (9999,)

_NAME = lazy_pattern(
    r"""["']?(?:[\w.-]+::)?(?:torch|pytorch(?:-cpu|-gpu)?)(?![\w.-])\s*(?:\[[^\]]*\])?\s*(.*)""",
    re.IGNORECASE,
)
_WHEEL = lazy_pattern(r"(?:^|[/\\@\s=])torch-(\d[\w.+%]*)-[^/\\]*\.whl\b", re.IGNORECASE)
_CLAUSE = lazy_pattern(r"(===|==|~=|!=|<=|>=|<|>|=|\^|~|)\s*([\w.*+!-]+)")
_VERSION = lazy_pattern(
    r"v?(\d+(?:\.\d+)*)(\.\*)?(?:[._-]?(?:post|dev|alpha|beta|rc|a|b|c)[._-]?\d*)*(?:\+[\w.]*)?",
    re.IGNORECASE,
)


@record
class Pin:
    """One line that says which torch is to be installed; None is open, as in an era."""

    place: str
    text: str
    oldest: Version | None = None
    newest: Version | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def alternatives(pins: Sequence[Pin]) -> Pin:
    """What several lines of one file allow: they are for other platforms, Pythons, extras."""
    first = pins[0]
    return Pin(
        first.place,
        " or ".join(dict.fromkeys(pin.text for pin in pins)),
        min((p.oldest for p in pins), key=lambda v: v or _EARLIER),
        max((p.newest for p in pins), key=lambda v: v or _LATER),
    )


def parse_requirement(text: str, place: str) -> Pin | None:
    """What one line of a requirements file says about torch; None: it is not about torch.

    What cannot be read allows every version.

    >>> parse_requirement("torch>=0.4,<1.0  # old", "").newest
    (0, 4, 1)
    """
    text = re.sub(r"(?:^|\s)#.*", "", text).strip()
    if not re.search("torch", text, re.IGNORECASE):
        return None
    wheel = _WHEEL.search(text.replace("%2B", "+").replace("%2b", "+"))
    version = None if wheel is None else _version(wheel[1])
    if version is not None:
        return Pin(place, text, version[0], version[0])
    name = _NAME.fullmatch(text)
    if name is None:
        return None
    specifier = re.split(r";|\s--", name[1])[0].strip().strip("\"'()")
    shown = re.split(r"\s*;|\s+--", text)[0].strip()
    return Pin(place, shown, *_interval(specifier))


def _interval(specifier: str) -> tuple[Version | None, Version | None]:
    """The oldest and the newest torch that a specifier allows."""
    allowed: set[Version] = set()
    for part in re.split(r"\|\|?", specifier):
        clauses = _clauses(part.strip())
        if clauses is None:
            return None, None
        known = {_EARLIER, _LATER, *RELEASES, *(version for _, version, _ in clauses)}
        allowed |= {v for v in known if all(_allows(clause, v) for clause in clauses)}
    if not allowed - {_EARLIER}:
        return None, None
    oldest, newest = min(allowed), max(allowed)
    return (None if oldest == _EARLIER else oldest, None if newest == _LATER else newest)


_Clause = tuple[str, Version, int]
"""Operator, version with three parts or more, and how many of them were written."""


def _clauses(text: str) -> list[_Clause] | None:
    # Conda writes the build behind the version: "=0.4.1=py36_cuda8.0.61_cudnn7.1.2_1".
    text = re.sub(r"^(==?\s*[\w.*]+)=[\w.*]+$", r"\1", text)
    text = re.sub(r"^(\d[\w.]*)\s+\w+$", r"\1", text)
    clauses: list[_Clause] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part == "*":
            continue
        found = _CLAUSE.fullmatch(part)
        version = None if found is None else _version(found[2])
        if found is None or version is None:
            return None
        operator, (number, written, is_prefix) = found[1], version
        if is_prefix and operator not in ("", "=", "==", "!="):
            return None
        if is_prefix or operator == "=":
            operator = "!=*" if operator == "!=" else "=*"
        clauses.append((operator, number, written))
    return clauses


def _version(text: str) -> tuple[Version, int, bool] | None:
    """A version with at least three parts, how many were written, and whether ``.*`` followed."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    parts = parse_version(found[1])
    return (*parts, *(0,) * (3 - len(parts))), len(parts), found[2] is not None


def _allows(clause: _Clause, version: Version) -> bool:
    operator, bound, written = clause
    if operator in ("", "==", "==="):
        return version == bound
    if operator == "=*":
        return version[:written] == bound[:written]
    if operator == "!=":
        return version != bound
    if operator == "!=*":
        return version[:written] != bound[:written]
    if operator in ("<", "<="):
        return version < bound or (operator == "<=" and version == bound)
    if operator == ">":
        return version > bound
    return bound <= version and _below_next(operator, version, bound, written)


def _below_next(operator: str, version: Version, bound: Version, written: int) -> bool:
    """The upper end of ``~=1.4``, and of poetry's ``^1.4`` and ``~1.4``."""
    if operator == ">=":
        return True
    if operator == "~=":
        kept = max(written - 1, 1)
    elif operator == "~":
        kept = min(written, 2)
    else:
        kept = next((i + 1 for i, part in enumerate(bound[:written]) if part), written)
    return version[:kept] == bound[:kept]
