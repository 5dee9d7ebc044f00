"""Two events side by side: where do they differ?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.verify.comparing.printed import differing_lines
from torchfix_codemods.verify.comparing.tolerance import GRADIENTS, Tolerance, as_float
from torchfix_codemods.verify.comparing.values import differing_values
from torchfix_codemods.verify.runs import Event

#: Fields of an event that must be equal, in the order in which they explain best.
_VALUES = ("test", "root", "file", "lr", "value", "grads")


def differing(
    a: Event, b: Event, tolerance: Tolerance
) -> Iterator[tuple[str, str, str, bool, bool]]:
    """Where two events differ: the path, both values, whether only what holds them does, and
    whether only the last printed digit does.
    """
    if a["kind"] == "print":
        tolerance.look_at("print", None, False)
        lines = [*differing_lines(a["value"], b["value"], tolerance)]
        for path, left, right, is_rounding in lines:
            yield path, left, right, False, is_rounding
        if not lines:
            yield from _differing_numbers(a, b, tolerance)
        return
    if a["kind"] == "file":
        yield from _differing_files(a, b, tolerance)
        return
    if a["kind"] == "error":
        if a["value"].partition(":")[0] != b["value"].partition(":")[0]:
            yield "value", a["value"], b["value"], False, False
        return
    if a["kind"] == "result":
        a, b = _in_both(a, b)
        # A mask that nobody prints or saves may be of either type.
        tolerance = dataclasses.replace(tolerance, bytes_are_bools=True)
    for name in _VALUES:
        tolerance.is_saved = a["kind"] == "save"
        tolerance.look_at(a["kind"], a.get(name), name == "grads" or a["kind"] in GRADIENTS)
        if name == "grads" and (a.get(name) is None or b.get(name) is None):
            # Only one of them touched its gradients, which says nothing.
            continue
        for found in differing_values(a.get(name), b.get(name), name, tolerance):
            yield (*found, False)


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


def _differing_numbers(
    a: Event, b: Event, tolerance: Tolerance
) -> Iterator[tuple[str, str, str, bool, bool]]:
    """Where numbers differ that two lines were made of, though the digits that are printed agree.

    Where other values go into a line, or as many in another form, only the line counts.
    """
    ours, theirs = a.get("given", []), b.get("given", [])
    if len(ours) != len(theirs):
        return
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one == other:
            continue
        pairs = [(one, other)]
        if isinstance(one, dict) or isinstance(other, dict):
            if not (isinstance(one, dict) and isinstance(other, dict)):
                continue
            pairs = [*zip(_of_many(one), _of_many(other), strict=False)]
        values = [(as_float(x), as_float(y)) for x, y in pairs]
        size = max((abs(v) for pair in values for v in pair if math.isfinite(v)), default=0.0)
        if not all(tolerance.accepts(x, y, size) for x, y in values):
            said = f"{_before_formatting(one)} in {a['value']}", _before_formatting(other)
            little = all(abs(x - y) <= _LITTLE * tolerance.rtol * size for x, y in values)
            yield f"given {number}", said[0], said[1], False, little


#: At so many times the tolerance, numbers behind the same digits are off by rounding, as the last
#: of many digits is.
_LITTLE = 10.0


def _of_many(value: dict[str, Any]) -> list[Any]:
    return [value.get("n"), *value.get("p", ())]


def _before_formatting(value: Any) -> str:
    number = value.get("n") if isinstance(value, dict) else value
    return f"{'norm ' if isinstance(value, dict) else ''}{number}"


def _differing_files(
    a: Event, b: Event, tolerance: Tolerance
) -> Iterator[tuple[str, str, str, bool, bool]]:
    """Where two texts that were written differ."""
    tolerance.look_at("print", None, False)
    if a["file"] != b["file"]:
        yield "file", a["file"], b["file"], False, False
    elif len(a["value"]) != len(b["value"]):
        yield "value", f"{len(a['value'])} lines", f"{len(b['value'])} lines", False, False
    else:
        for number, lines in enumerate(zip(a["value"], b["value"], strict=True)):
            for path, left, right, is_rounding in differing_lines(*lines, tolerance):
                yield f"line {number + 1} {path}", left, right, False, is_rounding
