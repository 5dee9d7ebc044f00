"""Does a run see what a changed statement computes, so that a wrong number would have shown?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.comparing.compare import Difference, Mask, compare
from torchfix_codemods.verify.inside.formats import REST_IS_OPEN, crc_of_event
from torchfix_codemods.verify.run_facts import failed_assertions, fails_more
from torchfix_codemods.verify.runs import Event, Run

#: All these runs together take at most so many times as long as the longest run, and never less
#: than these seconds are given to them.
PATIENCE, LEAST_SECONDS = 5, 30.0


@record
class Sight:
    """What is known of one change."""

    is_seen: bool | None
    """Whether an event moves when its values do; None: that could not be found out."""
    why: str = ""
    """Why not."""


#: Events that are what they are also where the program fails afterwards.
_COMPUTED = frozenset({"forward", "backward", "grad", "step", "save", "print", "file", "called"})

SEEN, HIDDEN = Sight(True), Sight(False)

WITHOUT_NUMBERS = Sight(None, "it gives no number that could be changed to see if that shows")

#: What is printed with few digits, or decides between two ways, shows large errors only.
COARSE = Sight(None, "only a number that is far off would have shown")

#: That a wrong number ends the program does not say that any would have shown.
FAILS = Sight(None, "the program fails where a number of it is changed to see if that shows")

_LATE = Sight(None, "there was no time to see if a wrong number would have shown")


def sights(
    keys: Sequence[str],
    watched: Mapping[str, Mapping[str, Any]],
    reference: Run,
    mask: Mask,
    run: Callable[..., Run],
    longest: float,
    rtol: float,
) -> dict[str, Sight]:
    """Which changes' values cannot move without an event that moves.

    They are moved by little first, as most numbers are seen by all of their digits.

    Args:
        keys: the changes, by key.
        watched: their lines in the version that is run, by path and key.
        reference: the run of that version.
        mask: what no two runs agree on.
        run: runs it with further settings.
        longest: the seconds of the longest run.
        rtol: how much numbers may differ.
    """
    looking = _Looking(reference, mask, run, max(LEAST_SECONDS, PATIENCE * longest), rtol)
    result = {}
    for key in keys:
        ranges = {
            path: {name: lines for name, lines in found.items() if name == key}
            for path, found in watched.items()
        }
        result[key] = looking.sight(ranges)
    return result


class _Looking:
    """Runs a version whose values are moved, as long as there is time.

    Args:
        reference: the run of it without.
        mask: what no two runs agree on.
        run: runs it with further settings.
        seconds: the time.
        rtol: how much numbers may differ.
    """

    def __init__(
        self, reference: Run, mask: Mask, run: Callable[..., Run], seconds: float, rtol: float
    ) -> None:
        self._reference, self._mask, self._run = reference, mask, run
        self._left, self._rtol = seconds, rtol
        self._open = {name: [REST_IS_OPEN] for name in reference.streams}
        # Threads take turns as they like: which event is the how-manyth is known at the end only.
        has_threads = any("/" in name for name in reference.streams)
        self._expected = (
            self._open
            if has_threads
            else {
                name: _expected(name, stream.events, mask)
                for name, stream in reference.streams.items()
            }
        )

    def sight(self, ranges: Mapping[str, Any]) -> Sight:
        """What is known of the values of some lines."""
        gently = self._look(ranges, gently=True)
        if gently not in (HIDDEN, FAILS):
            return gently
        by_much = self._look(ranges, gently=False)
        if by_much == SEEN:
            return COARSE if gently == HIDDEN else SEEN
        return gently if by_much == HIDDEN else by_much

    def _look(self, ranges: Mapping[str, Any], gently: bool) -> Sight:
        for expected in (self._expected, self._open):
            if self._left < 0:
                return _LATE
            done = self._run(nudge=ranges, expected=expected, nudge_gently=gently)
            self._left -= done.seconds
            # A run ends where an event has other bits; they may be so few that it counts as equal.
            if not done.seen or self._differences(done):
                break
        if not done.nudged:
            return WITHOUT_NUMBERS
        differences = self._differences(done)
        if done.seen:
            return SEEN
        if fails_more(self._reference, done) or done.timeout:
            is_seen = any(d.kind in _COMPUTED and not d.is_structural for d in differences)
            return SEEN if is_seen or (gently and failed_assertions(done)) else FAILS
        return SEEN if differences else HIDDEN

    def _differences(self, done: Run) -> list[Difference]:
        """Where a run differs that may have been ended early."""
        found = compare(self._reference, done, rtol=self._rtol, mask=self._mask).differences
        return [d for d in found if d.before is not None and d.after is not None]


def _expected(name: str, events: Sequence[Event], mask: Mask) -> list[int | None]:
    """The CRC of each event that is compared as a whole; nothing for the others."""
    masked = {index for stream, index, _ in mask.places if stream == name}
    result: list[int | None] = []
    for index, event in enumerate(events):
        if mask.cuts(name, index):
            return [*result, REST_IS_OPEN]
        result.append(None if index in masked else crc_of_event(event))
    return result
