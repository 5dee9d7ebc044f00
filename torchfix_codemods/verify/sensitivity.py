"""Does a run see what a changed statement computes, so that a wrong number would have shown?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.compare import Mask, compare
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
_COMPUTED = frozenset({"forward", "backward", "grad", "step", "save", "print", "file"})

SEEN, HIDDEN = Sight(True), Sight(False)

WITHOUT_NUMBERS = Sight(None, "it gives no number that could be changed to see if that shows")

#: That a wrong number ends the program does not say that any would have shown.
FAILS = Sight(None, "the program fails where a number of it is changed to see if that shows")


def sights(
    keys: Sequence[str],
    watched: Mapping[str, Mapping[str, Any]],
    reference: Run,
    mask: Mask,
    run: Callable[..., Run],
    longest: float,
) -> dict[str, Sight]:
    """Which changes' values cannot move without an event that moves.

    Args:
        keys: the changes, by key.
        watched: their lines in the version that is run, by path and key.
        reference: the run of that version.
        mask: what no two runs agree on.
        run: runs it with further settings.
        longest: the seconds of the longest run.
    """
    has_threads = any("/" in name for name in reference.streams)
    expected = {
        # Threads take turns as they like: which event is the how-manyth is known at the end only.
        name: [REST_IS_OPEN] if has_threads else _expected(name, stream.events, mask)
        for name, stream in reference.streams.items()
    }
    left = max(LEAST_SECONDS, PATIENCE * longest)
    result = {}
    for key in keys:
        if left < 0:
            result[key] = Sight(None, "there was no time to see if a wrong number would have shown")
            continue
        ranges = {
            path: {name: lines for name, lines in found.items() if name == key}
            for path, found in watched.items()
        }
        done = run(nudge=ranges, expected=expected)
        result[key] = _sight(done, reference, mask, asserts=False)
        left -= done.seconds
        if result[key] == FAILS and left > 0:
            done = run(nudge=ranges, expected=expected, nudge_gently=True)
            if _sight(done, reference, mask, asserts=True) == SEEN:
                result[key] = SEEN
            left -= done.seconds
    return result


def _sight(done: Run, reference: Run, mask: Mask, asserts: bool) -> Sight:
    """What a run says whose values were moved.

    Args:
        done: the run.
        reference: the run of the same without.
        mask: what no two runs agree on.
        asserts: whether an assertion that fails is a number that is seen: where it moved by little.
    """
    if done.seen:
        return SEEN
    if not done.nudged:
        return WITHOUT_NUMBERS
    differences = compare(reference, done, rtol=0.0, mask=mask).differences
    if fails_more(reference, done) or done.timeout:
        is_seen = any(d.kind in _COMPUTED and not d.is_structural for d in differences)
        return SEEN if is_seen or (asserts and failed_assertions(done)) else FAILS
    return SEEN if differences else HIDDEN


def _expected(name: str, events: Sequence[Event], mask: Mask) -> list[int | None]:
    """The CRC of each event that is compared as a whole; nothing for the others."""
    masked = {index for stream, index, _ in mask.places if stream == name}
    result: list[int | None] = []
    for index, event in enumerate(events):
        if mask.cuts(name, index):
            return [*result, REST_IS_OPEN]
        result.append(None if index in masked else crc_of_event(event))
    return result
