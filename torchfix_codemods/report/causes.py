"""What is found in many places for one reason is told once, with its places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.record import record
from torchfix_codemods.report.paint import Paint
from torchfix_codemods.report.text import counted, place_of


@record
class Cause:
    """Something that is said of one place or of several."""

    finding: Finding
    """The first of them."""
    places: tuple[str, ...]


def causes(results: Iterable[FileResult], is_meant: Callable[[Finding], bool]) -> list[Cause]:
    """What is said of files, what fails first.

    Args:
        results: of the files.
        is_meant: whether a finding is asked for.
    """
    places: dict[tuple[str, str, bool], list[str]] = {}
    first: dict[tuple[str, str, bool], Finding] = {}
    for result in results:
        for finding in filter(is_meant, result.findings):
            key = finding.code, finding.message, finding.fixed
            first.setdefault(key, finding)
            places.setdefault(key, []).append(place_of(result, finding))
    found = [Cause(first[key], tuple(dict.fromkeys(places[key]))) for key in first]
    return sorted(found, key=_order)


def _order(cause: Cause) -> tuple[bool, int, str]:
    # What is only rewritten stands below what is left.
    return cause.finding.fixed, cause.finding.rank, cause.finding.code


def lines(found: Iterable[Cause], paint: Paint, most: int | None = None) -> Iterator[str]:
    """Lines for the terminal: ``path:line:column: CODE name: message`` where it is one place.

    Args:
        found: what is said.
        paint: how.
        most: how many places are listed of one cause; None: all.
    """
    for cause in found:
        finding = cause.finding
        rule = paint.rule(finding.code, finding.name, finding.rank)
        mark = paint.faint(" [migrate rewrites it]") if finding.fixed else ""
        if len(cause.places) == 1:
            yield f"{paint.place(cause.places[0])}: {rule}: {finding.message}{mark}"
            continue
        yield f"{rule} ({counted(len(cause.places), 'place')}): {finding.message}{mark}"
        # One more takes no more room than to say that there is one.
        shown = None if most is None or len(cause.places) <= most + 1 else most
        yield from (f"  {paint.place(place)}" for place in cause.places[:shown])
        if shown is not None:
            more = len(cause.places) - shown
            yield paint.faint(f"  and {more} more places: torchfix check lists them")
