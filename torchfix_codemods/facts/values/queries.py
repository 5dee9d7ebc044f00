"""Questions about a module that may lead back to themselves, each answered once.

``x = f(x)`` in a loop: what ``x`` is depends on what ``f`` gives for it. Such a question is
answered in rounds, each under the assumption that the answer is the one of the round before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torchfix_codemods.facts.values.lattice import NOTHING, UNKNOWN, Nothing, Value

_MAX_ROUNDS = 4

#: What takes more repeated queries than this is not known: names may hold each other in so many
#: ways that nobody would wait for the answer.
_MOST_ASKED_AGAIN = 10_000


class Pending:
    """The queries that are being answered. Files that ask each other share one."""

    def __init__(self) -> None:
        self.assumed: dict[object, Value] = {}
        self.cut: set[object] = set()
        self.asked_again = 0
        """How many queries the outermost one has led to that had been answered before."""
        self.provisional: dict[object, Provisional] = {}
        """Answers that hold as long as what was assumed for them is assumed."""
        self.resting_on: dict[object, list[object]] = {}
        """The queries with such an answer, by the queries that something was assumed for."""

    def note(self, key: object, answer: Provisional) -> None:
        """Remember an answer that rests on assumptions."""
        self.provisional[key] = answer
        for assumption in answer.assumptions:
            self.resting_on.setdefault(assumption, []).append(key)

    def settle(self, key: object, result: Value, open_cut: set[object]) -> None:
        """What was found out under an assumption that turned out right needs not be asked again.

        Args:
            key: the query something was assumed for.
            result: what was assumed, and is the answer.
            open_cut: the queries for which something is still assumed, for this answer too.
        """
        for other in self.resting_on.pop(key, ()):
            answer = self.provisional.get(other)
            if answer is None or answer.assumptions.get(key) != result:
                continue
            left = {k: v for k, v in answer.assumptions.items() if k != key}
            left.update((k, self.assumed[k]) for k in open_cut)
            if left:
                self.note(other, Provisional(answer.value, left, answer.known))
            elif not isinstance(answer.value, Nothing):
                answer.known[other] = answer.value


class Provisional(NamedTuple):
    """An answer and what was assumed for it."""

    value: Value
    assumptions: dict[object, Value]
    known: dict[object, Value]
    """Where it goes once it is certain."""


class Queries:
    """Asks, and remembers what is certain.

    Args:
        pending: the queries that are being answered.
    """

    def __init__(self, pending: Pending) -> None:
        self._known: dict[object, Value] = {}
        self._pending = pending

    def _query(self, key: object, compute: Callable[..., Value], *asked: object) -> Value:
        known = self._known.get(key)
        if known is not None:
            return known
        pending = self._pending
        assumed = pending.assumed
        if key in assumed:
            pending.cut.add(key)
            return assumed[key]
        answered = pending.provisional.get(key)
        if answered is not None and _are_assumed(answered.assumptions, assumed):
            pending.cut.update(answered.assumptions)
            return answered.value
        if not assumed:
            pending.asked_again = 0
        elif answered is not None:
            pending.asked_again += 1
        if pending.asked_again > _MOST_ASKED_AGAIN:
            self._known[key] = UNKNOWN
            return UNKNOWN
        assumed[key] = NOTHING if answered is None else answered.value
        outer_cut = pending.cut
        result: Value = UNKNOWN
        is_right = False
        try:
            for _ in range(_MAX_ROUNDS):
                pending.cut = set()
                result = compute(*asked)
                if not pending.cut or key not in pending.cut:
                    break
                is_right = result == assumed[key]
                if is_right:
                    break
                assumed[key] = result
            else:
                result = UNKNOWN
        finally:
            del assumed[key]
            open_cut = pending.cut
            if open_cut:
                open_cut.discard(key)
                outer_cut |= open_cut
            pending.cut = outer_cut
        if is_right:
            pending.settle(key, result, open_cut)
        if not open_cut:
            if isinstance(result, Nothing):
                result = UNKNOWN
            self._known[key] = result
            if not assumed and pending.provisional:
                pending.provisional.clear()
                pending.resting_on.clear()
        else:
            assumptions = {k: assumed[k] for k in open_cut}
            pending.note(key, Provisional(result, assumptions, self._known))
        return result


def _are_assumed(assumptions: dict[object, Value], assumed: dict[object, Value]) -> bool:
    # Most are the very same object: to compare two of them field by field is slow.
    return all(
        (now := assumed.get(key)) is value or now == value for key, value in assumptions.items()
    )
