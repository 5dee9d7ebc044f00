"""What is said of several places of a file in the same words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.text.wording import worded_lines


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
        yield (
            replace(first, message=f"{first.message} (also {worded_lines(lines)})")
            if lines
            else first
        )
