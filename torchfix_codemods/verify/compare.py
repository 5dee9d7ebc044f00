"""Two records side by side: where do they differ, and by how much?"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchfix_codemods.verify.runs import Event, Run

#: Fields of an event that must be equal, in the order in which they explain best.
_VALUES = ("test", "root", "file", "lr", "value", "grads")

Place = tuple[str, int, str]
"""A stream, the number of an event in it, and a path into the event."""


@dataclass(frozen=True)
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
class Comparison:
    """The result of comparing two runs."""

    differences: list[Difference] = field(default_factory=list)
    compared: int = 0
    """How many events had a partner."""
    excused: list[Difference] = field(default_factory=list)
    """What differs for another reason than the changes."""
    masked: int = 0
    """How many values were passed over, because BEFORE does not agree with itself there."""
    is_exact: bool = True
    """Whether all that was compared has the same bits."""
    largest: float = 0.0
    """The largest relative difference that was accepted."""

    @property
    def first(self) -> Difference | None:
        return self.differences[0] if self.differences else None


@dataclass(frozen=True)
class Mask:
    """What two runs of BEFORE do not agree on."""

    places: frozenset[Place] = frozenset()
    ends: tuple[tuple[str, int], ...] = ()
    """Streams that cannot be compared from some event on."""

    def hides(self, stream: str, index: int, path: str) -> bool:
        return (stream, index, path) in self.places or self.cuts(stream, index)

    def cuts(self, stream: str, index: int) -> bool:
        return any(name == stream and index >= end for name, end in self.ends)


def mask_of(one: Run, other: Run) -> Mask:
    """What differs between two runs of the same program: clocks, process numbers, threads."""
    comparison = compare(one, other, rtol=0.0)
    structural = [d for d in comparison.differences if d.is_structural]
    return Mask(
        frozenset(d.key for d in comparison.differences if not d.is_structural),
        tuple((d.stream, d.index) for d in structural),
    )


def compare(
    before: Run,
    after: Run,
    *,
    rtol: float,
    mask: Mask = Mask(),
    bytes_are_bools: bool = False,
    across: bool = False,
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
    """
    result = Comparison()
    names = sorted(set(before.streams) | set(after.streams), key=lambda n: (n.count("."), n))
    tolerance = _Tolerance(rtol, bytes_are_bools, result, across)
    for name in names:
        ours = before.streams[name].events if name in before.streams else []
        theirs = after.streams[name].events if name in after.streams else []
        in_time = "seconds" in (before.stopped_by, after.stopped_by)
        _compare_stream(name, ours, theirs, in_time, mask, tolerance, result)
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
    tolerance = _Tolerance(rtol, bytes_are_bools, Comparison())
    for where, left, right, _ in _walk(a, b, path, tolerance):
        yield where, left, right


def _compare_stream(
    name: str,
    ours: Sequence[Event],
    theirs: Sequence[Event],
    ends_early: bool,
    mask: Mask,
    tolerance: _Tolerance,
    result: Comparison,
) -> None:
    ordinals = _ordinals(ours)
    for start, one, other in _paired(ours, theirs):
        for offset in range(max(len(one), len(other))):
            index = start + offset
            if mask.cuts(name, index):
                result.masked += 1
                return
            a = one[offset] if offset < len(one) else None
            b = other[offset] if offset < len(other) else None
            if a is None or b is None or a["kind"] != b["kind"]:
                if not (ends_early and (a is None or b is None)):
                    ordinal = ordinals[index] if index < len(ordinals) else len(ordinals)
                    result.differences.append(_structural(name, index, a, b, ordinal))
                break
            result.compared += 1
            closeness = result.is_exact, result.largest
            for path, left, right, is_container in _differing(a, b, tolerance):
                if mask.hides(name, index, path):
                    result.masked += 1
                    result.is_exact, result.largest = closeness
                    continue
                result.differences.append(
                    Difference(
                        name,
                        index,
                        a["kind"],
                        path,
                        a,
                        b,
                        (left, right),
                        ordinals[index],
                        is_container=is_container,
                    )
                )


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


def _in_both(a: Event, b: Event) -> tuple[Event, Event]:
    """The variables that both programs leave behind, where they hold the same kind of thing."""
    ours, theirs = dict(a["value"]["i"]), dict(b["value"]["i"])
    numbers = {"tensor", "array", "number"}
    names = [
        name
        for name in ours
        if name in theirs
        and (
            ours[name]["k"] == theirs[name]["k"] or {ours[name]["k"], theirs[name]["k"]} <= numbers
        )
    ]
    return tuple(  # type: ignore[return-value]
        {**event, "value": {**event["value"], "n": 0, "i": [[n, values[n]] for n in names]}}
        for event, values in ((a, ours), (b, theirs))
    )


def _differing(a: Event, b: Event, tolerance: _Tolerance) -> Iterator[tuple[str, str, str, bool]]:
    if a["kind"] == "print":
        tolerance.look_at("print", None, False)
        for path, left, right in _lines_differ(a["value"], b["value"], tolerance):
            yield path, left, right, False
        return
    if a["kind"] == "error":
        if a["value"].partition(":")[0] != b["value"].partition(":")[0]:
            yield "value", a["value"], b["value"], False
        return
    if a["kind"] == "result":
        a, b = _in_both(a, b)
        # A mask that nobody prints or saves may be of either type.
        tolerance = dataclasses.replace(tolerance, bytes_are_bools=True)
    for name in _VALUES:
        tolerance.is_saved = a["kind"] == "save"
        tolerance.look_at(a["kind"], a.get(name), name == "grads" or a["kind"] in _GRADIENTS)
        yield from _walk(a.get(name), b.get(name), name, tolerance)


#: Across versions, how much tensors may differ at least, relative to the largest of the event, in
#: parts of the tolerance.
_OF_OTHERS = 0.1
_OF_GRADIENTS = 10.0

_GRADIENTS = frozenset({"grads", "grad"})

#: Where numbers come from terms of about 1, however small they are.
_OUTCOMES = frozenset({"forward", "backward", "print"})


def _norms(value: Any) -> Iterator[float]:
    """The sizes of all tensors and numbers in a value."""
    if isinstance(value, list):
        for item in value:
            yield from _norms(item)
    elif isinstance(value, dict) and "k" not in value:
        for item in value.values():
            yield from _norms(item)
    elif isinstance(value, dict):
        if "n" in value and value["k"] in ("tensor", "array"):
            yield value["n"]
        elif value["k"] in ("tensor", "array", "number"):
            numbers = value["v"] if isinstance(value.get("v"), list) else [value.get("v")]
            finite = [v for v in map(_float, numbers) if math.isfinite(v)]
            yield math.sqrt(sum(v * v for v in finite))
        else:
            yield from _norms(value.get("i", []))


@dataclass
class _Tolerance:
    rtol: float
    bytes_are_bools: bool
    result: Comparison
    across: bool = False
    atol: float = 0.0
    is_saved: bool = False
    """Whether what is compared goes into a file."""

    def look_at(self, kind: str, value: Any, of_gradients: bool) -> None:
        """Set what is too little to be seen in a value of an event."""
        if not self.across and not of_gradients:
            self.atol = 0.0
            return
        size = max(_norms(value), default=0.0)
        if not self.across:
            # Gradients far below the others are what rounding left of zero.
            self.atol = self.rtol * size * _OF_OTHERS
            return
        # Gradients are what is left of larger terms, the more so the better the fit is.
        self.atol = self.rtol * size * (_OF_GRADIENTS if of_gradients else _OF_OTHERS)
        if kind in _OUTCOMES and not of_gradients:
            self.atol = max(self.atol, self.rtol * _OF_OTHERS)

    def accepts(self, a: float, b: float, size: float | None = None) -> bool:
        """Whether two numbers are close; the larger difference is kept."""
        if a == b or (math.isnan(a) and math.isnan(b)):
            return True
        if not (math.isfinite(a) and math.isfinite(b)):
            return False
        size = max(abs(a), abs(b)) if size is None else size
        self.result.is_exact = False
        if self.atol:
            size = max(size, self.atol / self.rtol)
        distance = abs(a - b) / size if size else math.inf
        if distance > self.rtol:
            return False
        self.result.largest = max(self.result.largest, distance)
        return True


def _walk(a: Any, b: Any, path: str, tolerance: _Tolerance) -> Iterator[tuple[str, str, str, bool]]:
    """Where two descriptions of values differ."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield path, f"{len(a)} items", f"{len(b)} items", False
            return
        for number, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _walk(x, y, f"{path}[{number}]", tolerance)
        return
    if not (isinstance(a, dict) and isinstance(b, dict)):
        if a != b:
            yield path, shown(a), shown(b), False
        return
    if "k" not in a or "k" not in b:
        yield from _items(sorted(a.items()), sorted(b.items()), path, tolerance)
        return
    kinds = {a["k"], b["k"]}
    if kinds <= {"tensor", "array", "number"} and not _tensors_agree(a, b, kinds, tolerance):
        yield path, shown(a), shown(b), False
    elif kinds == {"tensor"} and tolerance.is_saved and "g" in b and "g" not in a:
        # The other way round it is what became of volatile.
        yield path, shown(a), f"{shown(b)} that requires grad", False
    elif kinds == {"text"} and (a.get("v"), a.get("c")) != (b.get("v"), b.get("c")):
        yield path, shown(a), shown(b), False
    elif kinds <= {"module", "dict", "optimizer"} and len(kinds) == 2:
        yield path, shown(a), shown(b), True
        yield from _items(_state(a), _state(b), path, tolerance)
    elif len(kinds) == 2 and not kinds <= {"tensor", "array", "number"}:
        yield path, shown(a), shown(b), False
    elif kinds <= {"module", "optimizer", "object"}:
        if a["t"] != b["t"]:
            yield path, shown(a), shown(b), False
        yield from _items(_state(a), _state(b), path, tolerance)
    elif kinds == {"dict"}:
        yield from _items(a["i"], b["i"], path, tolerance)
    elif kinds == {"list"}:
        if a["n"] != b["n"] or a.get("c") != b.get("c"):
            yield path, shown(a), shown(b), False
        else:
            yield from _walk(a["i"], b["i"], path, tolerance)


def _state(value: dict[str, Any]) -> list[Any]:
    inner = value.get("i", [])
    return list(inner.get("i", ()) if isinstance(inner, dict) else inner)


#: What newer versions of torch keep of an optimizer besides what it needs.
_OPTIMIZER = re.compile(r"\.param_groups\[\d+\]\.\w+$|\.state\.\d+\.\w+$")


def _items(
    a: Iterable[Any], b: Iterable[Any], path: str, tolerance: _Tolerance
) -> Iterator[tuple[str, str, str, bool]]:
    ours, theirs = dict(a), dict(b)
    for key in dict.fromkeys([*ours, *theirs]):
        inner = f"{path}.{key}"
        if tolerance.across and (key not in ours or key not in theirs) and _OPTIMIZER.search(inner):
            continue
        if key not in ours or key not in theirs:
            yield inner, shown(ours.get(key)), shown(theirs.get(key)), False
        else:
            yield from _walk(ours[key], theirs[key], inner, tolerance)


def _tensors_agree(a: Any, b: Any, kinds: set[str], tolerance: _Tolerance) -> bool:
    if "number" in kinds or kinds == {"tensor", "array"}:
        # A tensor without dimensions and the number in it are the same to whoever reads it.
        return _numbers_agree(a, b, tolerance)
    if a["s"] != b["s"]:
        return False
    bools = tolerance.bytes_are_bools and {a["d"], b["d"]} == {"bool", "uint8"}
    if a["d"] != b["d"] and not bools:
        return False
    if "c" in a and a.get("c") == b.get("c"):
        return True
    if "c" not in a or "c" not in b:
        return "c" not in a and "c" not in b
    if not a["d"].startswith(("float", "bfloat", "complex")):
        tolerance.result.is_exact = False
        return False
    return _close(a, b, tolerance)


def _close(a: Any, b: Any, tolerance: _Tolerance) -> bool:
    tolerance.result.is_exact = False
    if "n" not in a or "n" not in b:
        if "n" in a or "n" in b or len(a["v"]) != len(b["v"]):
            return False
        values = [(_float(x), _float(y)) for x, y in zip(a["v"], b["v"], strict=True)]
        finite = [abs(v) for pair in values for v in pair if math.isfinite(v)]
        size = math.sqrt(sum(v * v for v in finite) / 2) if finite else 0.0
        return all(tolerance.accepts(x, y, size) for x, y in values)
    if a.get("x") != b.get("x"):
        return False
    size = max(a["n"], b["n"])
    return tolerance.accepts(a["n"], b["n"], size) and all(
        tolerance.accepts(x, y, size) for x, y in zip(a["p"], b["p"], strict=True)
    )


def _numbers_agree(a: Any, b: Any, tolerance: _Tolerance) -> bool:
    values = []
    for value in (a, b):
        if value["k"] == "number":
            values.append(value["v"])
        elif value["s"] in ([], [1]) and len(value.get("v", ())) == 1:
            values.append(value["v"][0])
        else:
            values.append(None)
    if any(value is None or isinstance(value, bool) for value in values):
        are_bools = {type(value) is bool for value in values}
        same: bool = values[0] == values[1] and a["k"] == b["k"]
        return same and (len(are_bools) == 1 or tolerance.bytes_are_bools)
    if _is_whole(a) != _is_whole(b):
        tolerance.result.is_exact = False
        return False
    return tolerance.accepts(_float(values[0]), _float(values[1]))


def _is_whole(value: Any) -> bool:
    """Whether a number is an integer by its type."""
    if value["k"] == "number":
        return isinstance(value["v"], int)
    return bool(value["d"].lstrip("u").startswith("int"))


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def shown(value: Any) -> str:
    """A description, in a few words for people."""
    if not isinstance(value, dict) or "k" not in value:
        return "nothing" if value is None else str(value)[:200]
    kind = value["k"]
    if kind == "number":
        return _short(value["v"])
    if kind == "text":
        return repr(value["v"])
    if kind in ("tensor", "array"):
        shape = "x".join(map(str, value["s"])) or "0-dim"
        numbers = ", ".join(_short(number) for number in value.get("v", ())[:4])
        more = ", …" if len(value.get("v", ())) > 4 else ""
        norm = f", norm {_short(value['n'])}" if "n" in value else ""
        return f"{value['d']} {shape} [{numbers}{more}]{norm}"
    if kind in ("dict", "list"):
        return f"a {kind} of {value['n']}"
    return str(value.get("t", kind))


def _short(number: Any) -> str:
    return f"{number:.7g}" if isinstance(number, float) else str(number)


_TENSOR = re.compile(
    r"tensor\(\s*([-+\w.]+)(?:,\s*(?:device='[^']*'|dtype=[\w.]+|grad_fn=<\w+>|requires_grad=\w+))*\)"
)
_GRAPH = re.compile(r",\s*(?:grad_fn=<\w+>|requires_grad=True)(?=[,)])")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bnan\b|\binf\b")


def _lines_differ(a: str, b: str, tolerance: _Tolerance) -> Iterator[tuple[str, str, str]]:
    """Where two printed lines differ: in a number, or in the words around the numbers."""
    if a == b:
        return
    one, other = _normal(a), _normal(b)
    if one == other:
        return
    ours, theirs = _NUMBER.findall(one), _NUMBER.findall(other)
    if words_of(a) != words_of(b) or len(ours) != len(theirs):
        tolerance.result.is_exact = False
        yield "words", a, b
        return
    for number, (x, y) in enumerate(zip(ours, theirs, strict=True)):
        if x == y:
            continue
        if float(x) == float(y) and _is_written_whole(x) != _is_written_whole(y):
            tolerance.result.is_exact = False
            yield f"number {number}", a, b
        elif tolerance.rtol and _is_rounding(x, y):
            tolerance.result.is_exact = False
        elif not tolerance.accepts(float(x), float(y)):
            yield f"number {number}", a, b


def words_of(line: str) -> str:
    """A printed line without its numbers."""
    return _NUMBER.sub("#", _normal(line))


def same_numbers(a: str, b: str, rtol: float) -> bool:
    """Whether two printed lines have the same numbers, whatever they say of them."""
    tolerance = _Tolerance(rtol, False, Comparison())
    ours, theirs = _NUMBER.findall(_normal(a)), _NUMBER.findall(_normal(b))
    return len(ours) == len(theirs) and all(
        tolerance.accepts(float(x), float(y)) for x, y in zip(ours, theirs, strict=True)
    )


def _is_written_whole(number: str) -> bool:
    return number.lstrip("+-").isdigit()


def _normal(line: str) -> str:
    return _ADDRESS.sub("0x…", _TENSOR.sub(r"\1", _GRAPH.sub("", line))).strip()


def _is_rounding(a: str, b: str) -> bool:
    """Whether two printed numbers differ by one in the last of at least four digits."""
    places = [len(text.partition(".")[2]) for text in (a, b)]
    if "e" in (a + b).lower() or places[0] != places[1] or not places[0]:
        return False
    try:
        x, y = (int(text.replace(".", "")) for text in (a, b))
    except ValueError:
        return False
    return abs(x - y) == 1 and min(abs(x), abs(y)) >= 1000
