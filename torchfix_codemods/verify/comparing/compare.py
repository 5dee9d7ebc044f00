"""Two records side by side: where do they differ, and by how much?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.comparing.align import align
from torchfix_codemods.verify.comparing.events import differing
from torchfix_codemods.verify.comparing.names import Names, with_same_names, without_bare
from torchfix_codemods.verify.comparing.tolerance import Measured, Tolerance
from torchfix_codemods.verify.comparing.values import differing_values
from torchfix_codemods.verify.runs import Event, Run, Stream

Place = tuple[str, int, str]
"""A stream, the number of an event in it, and a path into the event."""


@record
class Difference:
    """Something that the two runs do not agree on."""

    stream: str
    index: int
    kind: str
    path: str
    before: Event | None
    after: Event | None
    values: tuple[str, str]
    """What differs, for people."""
    ordinal: int = 0
    """The how-manyth event of its kind and name it is in the stream, from 0."""
    is_structural: bool = False
    """Whether the runs did different things, so that what follows cannot be compared."""
    is_container: bool = False
    """Whether the same numbers are held by something else."""

    @property
    def key(self) -> Place:
        return self.stream, self.index, self.path


@dataclass
class Comparison(Measured):
    """The result of comparing two runs."""

    differences: list[Difference] = field(default_factory=list)
    compared: int = 0
    """How many events had a partner."""
    excused: list[Difference] = field(default_factory=list)
    """What differs for another reason than the changes."""
    rounded: list[Difference] = field(default_factory=list)
    """What differs in the last printed digit, where other numbers differ within the tolerance."""
    masked: int = 0
    """How many values were passed over, because BEFORE does not agree with itself there."""
    otherwise: set[str] = field(default_factory=set)
    """What was done otherwise where all numbers are there, for people."""
    ends: dict[str, int] = field(default_factory=dict)
    """Where streams end to be comparable, because the runs part as runs of BEFORE do."""

    @property
    def first(self) -> Difference | None:
        return self.differences[0] if self.differences else None


#: Events that hold numbers that were computed.
_COMPUTED = frozenset({"forward", "backward", "step"})


@record
class Mask:
    """What two runs of BEFORE do not agree on."""

    places: frozenset[Place] = frozenset()
    ends: tuple[tuple[str, int], ...] = ()
    """Streams that cannot be compared from some event on."""
    partings: frozenset[tuple[str, str | None]] = frozenset()
    """Streams, and lines of BEFORE of which one run told while another one was elsewhere: how often
    a loop runs, say, is another number each time."""
    apart: str = ""
    """What the first run did where they part, and the second one, for people."""

    def __or__(self, other: Mask) -> Mask:
        ends = tuple(sorted({*self.ends, *other.ends}))
        partings = self.partings | other.partings
        return Mask(self.places | other.places, ends, partings, self.apart or other.apart)

    def parts(self, stream: str, before: Event | None) -> bool:
        """Whether runs of BEFORE do not come equally often to where an event is from."""
        return (stream, before and before["at"]) in self.partings

    def hides(self, stream: str, index: int, path: str) -> bool:
        return (stream, index, path) in self.places or self.cuts(stream, index)

    def cuts(self, stream: str, index: int) -> bool:
        return any(name == stream and index >= end for name, end in self.ends)


_NOTHING_HIDDEN = Mask()


def mask_of(one: Run, other: Run) -> Mask:
    """What differs between two runs of the same program: clocks, process numbers, threads.

    Processes that compute other numbers each time share what they compute with (Hogwild): which of
    them came first decides about all of their numbers.
    """
    differences = compare(one, other, rtol=0.0, in_order=True).differences
    partings = [_parting(d, one, other) for d in differences if d.is_structural]
    is_race = any(d.stream != "main" and d.kind in _COMPUTED for d in differences)
    children = sorted({*one.streams, *other.streams} - {"main"}) if is_race else []
    return Mask(
        frozenset(d.key for d in differences if not d.is_structural),
        (*(end for end, _ in partings), *((name, 0) for name in children)),
        frozenset((name, line) for (name, _), lines in partings for line in lines),
        _told_apart(differences, [lines for _, lines in partings], one, other),
    )


def _told_apart(
    differences: Sequence[Difference], lines: Sequence[Sequence[str | None]], one: Run, other: Run
) -> str:
    """What two runs of the same program do where they part first; empty: they do not."""
    first = next((d for d in differences if d.is_structural), None)
    if first is None:
        return ""
    streams = (run.streams.get(first.stream, Stream()) for run in (one, other))
    ours, theirs = ([e["test"] for e in s.events if e["kind"] == "test"] for s in streams)
    tests = zip_longest(
        (name for name in ours if name not in theirs), (name for name in theirs if name not in ours)
    )
    said = next(tests, lines[0] or first.values)
    return " and ".join(str(each or "nothing") for each in said)


def _parting(
    difference: Difference, one: Run, other: Run
) -> tuple[tuple[str, int], Sequence[str | None]]:
    """Where runs come from different lines before they are seen to do different things."""
    name = difference.stream
    ours, theirs = (
        [event["at"] for event in run.streams[name].events] if name in run.streams else []
        for run in (one, other)
    )
    for index, lines in enumerate(zip_longest(ours, theirs)):
        if lines[0] != lines[1]:
            return (name, min(index, difference.index)), lines
    return (name, difference.index), ()


def compare(
    before: Run,
    after: Run,
    *,
    rtol: float,
    mask: Mask = _NOTHING_HIDDEN,
    bytes_are_bools: bool = False,
    across: bool = False,
    in_order: bool = False,
    in_steps: bool = False,
) -> Comparison:
    """Compare the events of two runs, one by one.

    Args:
        before: the run that is right.
        after: the other one.
        rtol: how much numbers may differ, relative to their size (of tensors: to their norm).
        mask: what is not to be compared.
        bytes_are_bools: whether uint8 zeros and ones equal ``False`` and ``True``.
        across: whether the runs were on different versions of torch, where sums that cancel out
            come out as other tiny numbers.
        in_order: whether what is done in another order counts as different, whatever comes of it.
        in_steps: whether each call of a module began with the parameters of the run that is right.
    """
    result = Comparison()
    names = sorted(set(before.streams) | set(after.streams), key=lambda n: (n.count("."), n))
    tolerance = Tolerance(rtol, bytes_are_bools, result, across, in_steps=in_steps)
    for name in names:
        ours = before.streams[name].events if name in before.streams else []
        theirs = after.streams[name].events if name in after.streams else []
        in_time = "seconds" in (before.stopped_by, after.stopped_by)
        stream = _Stream(name, _ordinals(ours), Names(), in_time, mask, tolerance, result)
        _compare_stream(stream, ours, theirs, in_order)
    if result.rounded and not result.largest:
        # No rounding is seen that it could come from.
        order = {name: number for number, name in enumerate(names)}
        result.differences += result.rounded
        result.differences.sort(key=lambda d: (order[d.stream], d.index))
        result.rounded = []
    result.is_exact &= not result.rounded
    return result


def compare_values(
    a: Any, b: Any, path: str, *, rtol: float, bytes_are_bools: bool
) -> Iterator[tuple[str, str, str]]:
    """Where two described values differ: the path, and both values for people.

    Args:
        a: a value as a record describes it.
        b: the other one.
        path: what the path begins with.
        rtol: how much numbers may differ.
        bytes_are_bools: whether uint8 zeros and ones equal ``False`` and ``True``.
    """
    tolerance = Tolerance(rtol, bytes_are_bools, Measured())
    for where, left, right, _ in differing_values(a, b, path, tolerance):
        yield where, left, right


def _compare_stream(
    stream: _Stream, ours: Sequence[Event], theirs: Sequence[Event], in_order: bool
) -> None:
    result = stream.result
    for start, all_ours, all_theirs in _paired(ours, theirs):
        found = dataclasses.replace(result)
        counts = len(result.differences), len(result.rounded)
        goes_on = stream.compare(start, all_ours, all_theirs)
        if goes_on and not in_order and len(result.differences) > counts[0]:
            _align(stream, start, (all_ours, all_theirs), found, counts)
        if not goes_on:
            return


def _align(
    stream: _Stream,
    start: int,
    events: tuple[Sequence[Event], Sequence[Event]],
    found: Comparison,
    counts: tuple[int, int],
) -> None:
    """Take back what was found to differ where all of it is there in another order.

    Args:
        stream: what the events are of.
        start: the number of the first one.
        events: of both runs.
        found: what was known before they were compared one by one.
        counts: how many differences were, and how many in the last printed digit.
    """
    result, tolerance = stream.result, stream.tolerance
    alignment = align(
        *events,
        tolerance,
        lambda index, path: stream.mask.hides(stream.name, start + index, path),
    )
    if alignment is None:
        return
    del result.differences[counts[0] :], result.rounded[counts[1] :]
    result.masked, result.compared = found.masked, found.compared + alignment.pairs
    result.is_exact = found.is_exact and alignment.measured.is_exact
    result.largest = max(found.largest, alignment.measured.largest)
    result.otherwise |= alignment.words


@dataclass
class _Stream:
    """What the events of one process are compared with those of another one by."""

    name: str
    ordinals: Sequence[int]
    names: Names
    ends_early: bool
    mask: Mask
    tolerance: Tolerance
    result: Comparison

    def compare(self, start: int, all_ours: Sequence[Event], all_theirs: Sequence[Event]) -> bool:
        """Compare events one by one; whether what comes after them can be compared, too."""
        name, mask, result = self.name, self.mask, self.result
        places, their_places = without_bare(all_ours, all_theirs)
        one, other = [all_ours[n] for n in places], [all_theirs[n] for n in their_places]
        for offset in range(max(len(one), len(other))):
            index = start + (places[offset] if offset < len(places) else offset)
            if mask.cuts(name, index):
                result.masked += 1
                return False
            a = one[offset] if offset < len(one) else None
            b = other[offset] if offset < len(other) else None
            if a is None or b is None or a["kind"] != b["kind"]:
                if not (self.ends_early and (a is None or b is None)):
                    if mask.parts(name, a):
                        result.ends[name] = index
                        return False
                    ordinal = self._ordinal(index)
                    result.differences.append(_structural(name, index, a, b, ordinal))
                return True
            result.compared += 1
            if not self._compare_events(index, a, b):
                return False
        return True

    def _ordinal(self, index: int) -> int:
        return self.ordinals[index] if index < len(self.ordinals) else len(self.ordinals)

    def _compare_events(self, index: int, a: Event, b: Event) -> bool:
        name, mask, result = self.name, self.mask, self.result
        closeness = result.is_exact, result.largest
        b = with_same_names(a, b, self.names)
        for path, left, right, is_container, is_rounding in differing(a, b, self.tolerance):
            if mask.hides(name, index, path):
                result.masked += 1
                result.is_exact, result.largest = closeness
                continue
            if path == "words" and mask.parts(name, a):
                result.ends[name] = index
                result.is_exact, result.largest = closeness
                return False
            found = result.rounded if is_rounding else result.differences
            found.append(
                Difference(
                    name,
                    index,
                    a["kind"],
                    path,
                    a,
                    b,
                    (left, right),
                    self._ordinal(index),
                    is_container=is_container,
                )
            )
        return True


def _paired(
    ours: Sequence[Event], theirs: Sequence[Event]
) -> Iterator[tuple[int, Sequence[Event], Sequence[Event]]]:
    """Parts to be compared event by event: those of each test, or all.

    What a test did that failed in BEFORE says nothing: it ended somewhere.
    """
    if not any(event["kind"] == "test" for event in ours):
        yield 0, ours, theirs
        return
    other = {key: part for key, _, part in _tests(theirs)}
    for key, start, part in _tests(ours):
        failed = part[-1]["kind"] == "test" and part[-1]["value"] in ("failed", "error")
        if not failed:
            yield start, part, other.get(key, [])


def _tests(events: Sequence[Event]) -> Iterator[tuple[str, int, Sequence[Event]]]:
    start, seen = 0, dict[str, int]()
    for index, event in enumerate(events):
        if event["kind"] == "test":
            name = event["test"]
            seen[name] = seen.get(name, 0) + 1
            yield f"{name}#{seen[name]}", start, events[start : index + 1]
            start = index + 1
    rest = [event for event in events[start:] if event["kind"] != "print"]
    if rest:
        yield "", start, rest


def _ordinals(events: Sequence[Event]) -> list[int]:
    counts: dict[tuple[str, str], int] = {}
    result = []
    for event in events:
        name = (event["kind"], event.get("root", ""))
        counts[name] = counts.get(name, -1) + 1
        result.append(counts[name])
    return result


def _structural(
    stream: str, index: int, a: Event | None, b: Event | None, ordinal: int
) -> Difference:
    kind = (a or b or {})["kind"]
    said = (_told(a), _told(b))
    return Difference(stream, index, kind, "", a, b, said, ordinal, is_structural=True)


def _told(event: Event | None) -> str:
    if event is None:
        return "nothing"
    what = event.get("root") or event.get("file") or event.get("test") or ""
    value = event["value"] if event["kind"] in ("print", "error", "test") else ""
    return " ".join(str(part) for part in (event["kind"], what, value) if part)
