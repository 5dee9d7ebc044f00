"""The same done another way: calls in another order, losses added up before ``backward``.

What a program gives is compared in order: what it prints, saves and tests. Calls of modules and of
``backward``, and steps of optimizers, only need to be there with the same numbers, wherever they
stand. What has no counterpart must be accounted for by what has one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchfix_codemods.verify.comparing.batches import parts_of
from torchfix_codemods.verify.comparing.events import differing
from torchfix_codemods.verify.comparing.names import Names, with_same_names
from torchfix_codemods.verify.comparing.tolerance import Measured, Tolerance, as_float
from torchfix_codemods.verify.comparing.values import differing_values, tensors_in
from torchfix_codemods.verify.runs import Event

#: Events that may stand anywhere.
_ANYWHERE = ("forward", "backward", "grad", "step", "final")

#: How far from its place a counterpart is looked for, in events of its kind.
_REACH = 64

#: How many calls of ``backward`` may have become how many others.
_MOST_MERGED = 6


@dataclass
class Alignment:
    """How the events of one run are found in another one."""

    measured: Measured
    """What was seen of numbers that agree."""
    words: set[str] = field(default_factory=set)
    """What was done otherwise, for people."""
    pairs: int = 0
    """How many events have a counterpart."""


def align(
    ours: Sequence[Event],
    theirs: Sequence[Event],
    tolerance: Tolerance,
    hides: Callable[[int, str], bool],
) -> Alignment | None:
    """Find each event of a run in another one.

    Args:
        ours: the events of the run that is right.
        theirs: those of the other one.
        tolerance: how much numbers may differ.
        hides: whether a path into an event, given by its number, is not to be compared.

    Returns:
        None where one run gives something that the other one does not give.
    """
    aligner = _Aligner(ours, theirs, tolerance, hides)
    return aligner.result if aligner.succeeds() else None


class _Aligner:
    def __init__(
        self,
        ours: Sequence[Event],
        theirs: Sequence[Event],
        tolerance: Tolerance,
        hides: Callable[[int, str], bool],
    ) -> None:
        self._events = ours, theirs
        self._hides = hides
        self.result = Alignment(Measured())
        self._tolerance = dataclasses.replace(tolerance, measured=self.result.measured)
        self._names = Names()
        self._has_rounding = False

    def succeeds(self) -> bool:
        """Whether each event of either run is accounted for."""
        lanes = [_lanes(events) for events in self._events]
        if lanes[0].keys() != lanes[1].keys():
            return False
        for name, ours in lanes[0].items():
            theirs = lanes[1][name]
            if len(ours) != len(theirs):
                return False
            if not all(self._agree(i, j) for i, j in zip(ours, theirs, strict=True)):
                return False
        return (
            all(self._is_accounted_for(kind) for kind in _ANYWHERE)
            # No rounding is seen that a last printed digit could come from.
            and (not self._has_rounding or self.result.measured.largest > 0)
        )

    def _is_accounted_for(self, kind: str) -> bool:
        ours, theirs = self._left(kind)
        if not ours and not theirs:
            return True
        if kind == "forward":
            return self._are_parts(ours, theirs)
        if kind == "backward":
            return self._are_sums(ours, theirs)
        return kind == "final" and self._hold_the_same(ours, theirs)

    def _left(self, kind: str) -> tuple[list[int], list[int]]:
        """The events of a kind that have no counterpart."""
        ours, theirs = (
            [n for n, event in enumerate(events) if event["kind"] == kind]
            for events in self._events
        )
        pending, left_ours, left_theirs, last = list(theirs), list[int](), list[int](), -1
        for index in ours:
            other = self._counterpart(index, pending)
            if other is None:
                left_ours.append(index)
                continue
            pending.remove(other)
            if other < last:
                self.result.words.add("calls come in another order")
            last = max(last, other)
            while pending and len(pending) > _REACH and pending[0] < last:
                left_theirs.append(pending.pop(0))
        return left_ours, left_theirs + pending

    def _counterpart(self, index: int, pending: Sequence[int]) -> int | None:
        name = self._events[0][index].get("root")
        near = pending[:_REACH]
        if any(self._events[1][other].get("root") == name for other in near):
            # What has the same name is no other one's.
            near = sorted(near, key=lambda other: self._events[1][other].get("root") != name)
        return next((other for other in near if self._agree(index, other)), None)

    def _agree(self, index: int, other: int) -> bool:
        """Whether two events tell the same."""
        a, b = self._events[0][index], self._renamed(self._events[1][other])
        measured = Measured()
        tolerance = dataclasses.replace(self._tolerance, measured=measured)
        is_exact = True
        for path, _, _, _, is_rounding in differing(a, with_same_names(a, b, Names()), tolerance):
            if self._hides(index, path):
                continue
            if not is_rounding:
                return False
            is_exact = False
            self._has_rounding = True
        if a["kind"] == "forward" and not self._names.match(a["root"], b["root"]):
            return False
        self._note(measured, is_exact)
        return True

    def _renamed(self, event: Event) -> Event:
        """An event of the other run, with the names that the first run has for its gradients."""
        if event["kind"] != "backward":
            return event
        named = {self._names.of_parameter(name): grad for name, grad in event["grads"].items()}
        return {**event, "grads": named}

    def _note(self, measured: Measured, is_exact: bool = True) -> None:
        self.result.pairs += 1
        self.result.measured.is_exact &= measured.is_exact and is_exact
        self.result.measured.largest = max(self.result.measured.largest, measured.largest)

    def _are_parts(self, *left: Sequence[int]) -> bool:
        """Whether calls without a counterpart are steps on the way to one that has one.

        A layer without parameters may be a function, a module may be called part by part, and
        the same may be computed twice; but not on both sides in different ways.
        """
        ways: list[set[str]] = [set(), set()]
        for side, indices in enumerate(self._but_batches(*left)):
            events = self._events[side]
            rest = set(indices)
            for index in reversed(indices):
                way = _way(events, index, rest)
                if way is None:
                    return False
                ways[side].add(way)
                rest.remove(index)
        if ways[0] & ways[1]:
            return False
        self.result.words |= ways[0] | ways[1]
        return True

    def _but_batches(self, *left: Sequence[int]) -> tuple[list[int], list[int]]:
        """Calls without a counterpart, but for those that one side gives a batch in parts."""
        rest = list(left[0]), list(left[1])
        for side in (0, 1):
            other = 1 - side
            for index in tuple(rest[side]):
                whole, measured = self._events[side][index], Measured()
                near = [n for n in rest[other] if self._is_called_alike(side, index, n)]
                parts = parts_of(
                    whole,
                    [self._events[other][n] for n in near],
                    dataclasses.replace(self._tolerance, measured=measured),
                )
                if parts is not None:
                    self._is_called_alike(side, index, near[parts.start], from_now_on=True)
                    self._note(measured)
                    self.result.words.add("batches are given in other parts")
                    rest[side].remove(index)
                    for n in near[parts.start : parts.stop]:
                        rest[other].remove(n)
        return rest

    def _is_called_alike(
        self, side: int, index: int, other: int, from_now_on: bool = False
    ) -> bool:
        """Whether calls of either run are of what may be, or is from now on, the same module."""
        places = (index, other) if side == 0 else (other, index)
        names = [events[n]["root"] for events, n in zip(self._events, places, strict=True)]
        return self._names.match(*names) if from_now_on else self._names.fits(*names)

    def _are_sums(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether several calls of ``backward`` leave the gradients of others, in order.

        Where a loss is zero there may be several ways to add up, of which not all lead on.
        """
        end = len(ours), len(theirs)
        seen = {(0, 0)}
        ways = [self._merges(ours, theirs, 0, 0)]
        measured: list[Measured] = []
        while ways:
            found = next(ways[-1], None)
            if found is None:
                ways.pop()
                if measured:
                    measured.pop()
                continue
            place, seen_of_it = found
            if place in seen:
                continue
            seen.add(place)
            ways.append(self._merges(ours, theirs, *place))
            measured.append(seen_of_it)
            if place == end:
                for each in measured:
                    self._note(each)
                self.result.words.add("losses are added up elsewhere")
                return True
        return False

    def _merges(
        self, ours: Sequence[int], theirs: Sequence[int], start: int, other: int
    ) -> Iterator[tuple[tuple[int, int], Measured]]:
        """Up to where calls leave the gradients of others, and by how much they differ: the fewest
        that do come first.
        """
        most = (min(_MOST_MERGED, len(ours) - start), min(_MOST_MERGED, len(theirs) - other))
        sizes = [(i, j) for i in range(1, most[0] + 1) for j in range(1, most[1] + 1)]
        for i, j in sorted(sizes, key=sum):
            a = _together(self._events[0], ours[start : start + i])
            b = self._renamed(_together(self._events[1], theirs[other : other + j]))
            measured = Measured()
            tolerance = dataclasses.replace(self._tolerance, measured=measured)
            if not tolerance.accepts(a["value"]["v"], b["value"]["v"]):
                continue
            if not any(True for _ in differing(a, with_same_names(a, b, Names()), tolerance)):
                yield (start + i, other + j), measured

    def _hold_the_same(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether fewer or more modules hold the parameters that others hold."""
        if len(ours) == len(theirs):
            return False
        held = [
            [value for n in indices for value in tensors_in(events[n]["value"])]
            for events, indices in zip(self._events, (ours, theirs), strict=True)
        ]
        every = [
            [value for e in events if e["kind"] == "final" for value in tensors_in(e["value"])]
            for events in self._events
        ]
        covered = all(
            any(self._equal(value, other) for other in others)
            for values, others in ((held[0], every[1]), (held[1], every[0]))
            for value in values
        )
        if covered:
            self.result.words.add("modules are grouped otherwise")
        return covered

    def _equal(self, a: Any, b: Any) -> bool:
        measured = Measured()
        tolerance = dataclasses.replace(self._tolerance, measured=measured)
        tolerance.look_at("final", a, False)
        return not any(True for _ in differing_values(a, b, "", tolerance))


def _lanes(events: Sequence[Event]) -> dict[tuple[str, str], list[int]]:
    """The events whose order counts, by what they are: what is written to one file, say."""
    lanes: dict[tuple[str, str], list[int]] = {}
    for index, event in enumerate(events):
        if event["kind"] not in _ANYWHERE:
            name = event["file"] if event["kind"] == "save" else ""
            lanes.setdefault((event["kind"], name), []).append(index)
    return lanes


def _way(events: Sequence[Event], index: int, left: set[int]) -> str | None:
    """How a call belongs to others of its run that are not left; None: it does not."""
    event = events[index]
    if event.get("bare"):
        return "a layer without parameters is called otherwise"
    given = _crcs(event["value"])
    near = [
        (n, events[n])
        for n in range(max(0, index - _REACH), min(len(events), index + _REACH))
        if n not in left and events[n]["kind"] == "forward"
    ]
    for _, other in near:
        if all(event.get(name) == other.get(name) for name in ("root", "mode", "input", "value")):
            return "the same is computed twice"
    if given and any(n > index and given <= _crcs(other["input"]) for n, other in near):
        return "modules are grouped otherwise"
    return None


def _together(events: Sequence[Event], indices: Iterable[int]) -> Event:
    """Several calls of ``backward`` as one: the sum of the losses, and the gradients in the end."""
    total, grads = 0.0, dict[str, Any]()
    for index in indices:
        losses = [value for loss in events[index]["value"] for value in loss.get("v", ())]
        total += sum(map(as_float, losses))
        grads.update(events[index]["grads"])
    return {"kind": "backward", "value": {"k": "number", "v": total}, "grads": grads}


def _crcs(value: Any) -> set[tuple[Any, Any]]:
    """What tells the tensors of a value from others."""
    return {(tuple(each["s"]), each.get("c")) for each in tensors_in(value)}
