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

    found: tuple[tuple[FileResult, Finding], ...]
    """The places, each with its file, in their order."""

    @property
    def finding(self) -> Finding:
        """The first of them: what is said is the same of all."""
        return self.found[0][1]

    @property
    def places(self) -> tuple[str, ...]:
        """Each place once: ``path:line:column``."""
        return tuple(dict.fromkeys(place_of(*each) for each in self.found))


def causes(results: Iterable[FileResult], is_meant: Callable[[Finding], bool]) -> list[Cause]:
    """What is said of files, what fails first.

    Args:
        results: of the files.
        is_meant: whether a finding is asked for.
    """
    found = ((r, finding) for r in results for finding in r.findings if is_meant(finding))
    return sorted(grouped(found), key=_order)


def grouped(found: Iterable[tuple[FileResult, Finding]]) -> list[Cause]:
    """Places of which the same is said for the same reason, together, in their order.

    Args:
        found: the places, each with its file.
    """
    groups: dict[tuple[object, ...], list[tuple[FileResult, Finding]]] = {}
    for result, each in found:
        key = each.code, each.message, each.fixed, each.reason, each.numerics
        groups.setdefault(key, []).append((result, each))
    return [Cause(tuple(group)) for group in groups.values()]


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
