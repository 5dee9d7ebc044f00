"""Does a run see what a changed statement computes, so that a wrong number would have shown?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchfix_codemods.verify.inside.formats import crc_of_event
from torchfix_codemods.verify.runs import Run

#: All these runs together take at most so many times as long as the longest run, and never less
#: than these seconds are given to them.
PATIENCE, LEAST_SECONDS = 5, 30.0


def unseen(
    keys: Sequence[str],
    watched: Mapping[str, Mapping[str, Any]],
    reference: Run,
    run: Callable[..., Run],
    longest: float,
) -> tuple[frozenset[str], int]:
    """The changes whose values can move without an event that moves.

    Args:
        keys: the changes, by key.
        watched: their lines in the version that is run, by path and key.
        reference: the run of that version.
        run: runs it with further settings.
        longest: the seconds of the longest run.

    Returns:
        their keys, and how many changes there was no time for.
    """
    if any("/" in name for name in reference.streams):
        return frozenset(), 0
    expected = {
        name: [crc_of_event(event) for event in stream.events]
        for name, stream in reference.streams.items()
    }
    left = max(LEAST_SECONDS, PATIENCE * longest)
    result = set()
    for number, key in enumerate(keys):
        ranges = {
            path: {name: lines for name, lines in found.items() if name == key}
            for path, found in watched.items()
        }
        done = run(nudge=ranges, expected=expected)
        is_same = not done.seen and done.failure is None and done.events >= reference.events
        if done.nudged and is_same:
            result.add(key)
        left -= done.seconds
        if left < 0:
            return frozenset(result), len(keys) - number - 1
    return frozenset(result), 0
