"""What is said of several places of a file in the same words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from torchfix_codemods.finding import Finding, Numerics

#: More lines than these are counted.
_MOST_LINES = 10


def told_once(findings: Iterable[Finding], codes: Collection[str]) -> Iterator[Finding]:
    """The findings in their order, without advice that was given already.

    Args:
        findings: those of one file, sorted.
        codes: the rules whose advice is given at the first of several lines, with the others named;
            of other rules only one line is not told the same twice.
    """
    places: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key: tuple[object, ...] = (len(places),)
        if not finding.fixed and finding.numerics is Numerics.ADVICE:
            line = 0 if finding.code in codes else finding.line
            key = line, finding.code, finding.message
        places.setdefault(key, []).append(finding)
    for first, *others in places.values():
        lines = [line for line in dict.fromkeys(f.line for f in others) if line != first.line]
        yield replace(first, message=f"{first.message} ({_also(lines)})") if lines else first


def _also(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"also line{'s' if len(lines) > 1 else ''} {shown}{more}"
