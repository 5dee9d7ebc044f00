"""The counts of a run: by rule, by claim about the numbers, by the torch a file was written for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.finding import FileResult, Finding, Numerics, Reason

Row = tuple[str, ...]


def lines(results: Iterable[FileResult], files: int, seconds: float) -> Iterator[str]:
    """Tables for the terminal.

    Args:
        results: those with something to tell.
        files: how many files were looked at.
        seconds: how long that took.
    """
    results = list(results)
    names = {f.code: f.name for r in results for f in r.findings}
    rewrites: Counter[str] = Counter()
    left: Counter[str] = Counter()
    places = Counter(key for r in results for key in {k for f in r.findings for k in _keys(f)})
    for finding in (finding for result in results for finding in result.findings):
        (rewrites if finding.fixed else left).update(_keys(finding))

    def row(key: str, *heads: str) -> Row:
        return (*heads, *(str(count[key]) for count in (rewrites, left, places)))

    heads = ("rewrites", "left", "files")
    by_rule = [row(code, f"{code} {names[code]}") for code in sorted(names)]
    by_reason = [row(why.value, why.value) for why in Reason if places[why.value]]
    by_claim = [row(claim.value, claim.value) for claim in Numerics if places[claim.value]]
    eras = Counter(str(r.era) for r in results if r.era.evidence)
    by_era = [(era, str(count)) for era, count in sorted(eras.items())]
    yield from _table(("rule", *heads), by_rule)
    yield from _table(("why", *heads), by_reason)
    yield from _table(("numbers", *heads), by_claim)
    yield from _table(("written for torch", "files"), by_era)
    rate = files / seconds if seconds else 0.0
    yield f"{files} file{'s' * (files != 1)} in {seconds:.1f} s, {rate:.0f} a second"


def _keys(finding: Finding) -> tuple[str, ...]:
    why = () if finding.reason is None else (finding.reason.value,)
    return finding.code, finding.numerics.value, *why


def _table(heads: Row, rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    for row in (heads, *rows):
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        yield "  ".join(cells).rstrip()
    yield ""
