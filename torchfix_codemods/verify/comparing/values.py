"""Two described values side by side: tensors, numbers, and what holds them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from torchfix_codemods.verify.comparing.shown import shown
from torchfix_codemods.verify.comparing.tolerance import Tolerance, as_float


def differing_values(
    a: Any, b: Any, path: str, tolerance: Tolerance
) -> Iterator[tuple[str, str, str, bool]]:
    """Where two descriptions of values differ."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield path, f"{len(a)} items", f"{len(b)} items", False
            return
        for number, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from differing_values(x, y, f"{path}[{number}]", tolerance)
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
        yield from _items(items_of(a), items_of(b), path, tolerance)
    elif len(kinds) == 2 and not kinds <= {"tensor", "array", "number"}:
        yield path, shown(a), shown(b), False
    elif kinds <= {"module", "optimizer", "object"}:
        if a["t"] != b["t"]:
            yield path, shown(a), shown(b), False
        yield from _items(items_of(a), items_of(b), path, tolerance)
    elif kinds == {"dict"}:
        yield from _items(a["i"], b["i"], path, tolerance)
        yield from _rests(a, b, path, tolerance)
    elif kinds == {"list"}:
        if a["n"] != b["n"]:
            yield path, shown(a), shown(b), False
        else:
            yield from differing_values(a["i"], b["i"], path, tolerance)
            yield from _rests(a, b, path, tolerance)


def _rests(
    a: dict[str, Any], b: dict[str, Any], path: str, tolerance: Tolerance
) -> Iterator[tuple[str, str, str, bool]]:
    """Where what was too much to be described item by item differs."""
    ours, theirs = a.get("r", {}), b.get("r", {})
    where = f"{path}[{len(a['i'])}:]"
    if ours.get("c") != theirs.get("c"):
        yield where, shown(a), shown(b), False
    elif ours:
        yield from differing_values(ours.get("a"), theirs.get("a"), where, tolerance)


def items_of(value: dict[str, Any]) -> list[Any]:
    """What a described module, object, list or dict holds."""
    inner = value.get("i", [])
    return list(inner.get("i", ()) if isinstance(inner, dict) else inner)


def tensors_in(value: Any) -> list[Any]:
    """The tensors in a described value."""
    if isinstance(value, list):
        return [each for item in value for each in tensors_in(item)]
    if not isinstance(value, dict):
        return []
    return [value] if value.get("k") in ("tensor", "array") else tensors_in(items_of(value))


#: What newer versions of torch keep of an optimizer besides what it needs.
_OPTIMIZER = re.compile(r"\.param_groups\[\d+\]\.\w+$|\.state\.\d+\.\w+$")


def _items(
    a: Iterable[Any], b: Iterable[Any], path: str, tolerance: Tolerance
) -> Iterator[tuple[str, str, str, bool]]:
    ours, theirs = dict(a), dict(b)
    for key in dict.fromkeys([*ours, *theirs]):
        inner = f"{path}.{key}"
        if tolerance.across and (key not in ours or key not in theirs) and _OPTIMIZER.search(inner):
            continue
        if key not in ours or key not in theirs:
            yield inner, shown(ours.get(key)), shown(theirs.get(key)), False
        else:
            yield from differing_values(ours[key], theirs[key], inner, tolerance)


def _tensors_agree(a: Any, b: Any, kinds: set[str], tolerance: Tolerance) -> bool:
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
        tolerance.measured.is_exact = False
        return False
    return _close(a, b, tolerance)


#: How many times the tolerance numbers of other precision may differ: by what their last bits are
#: worth, as in ``torch.testing``.
_TIMES = {
    "float64": 1e-4,
    "complex128": 1e-4,
    "float16": 100.0,
    "complex32": 100.0,
    "bfloat16": 1600.0,
}


def _close(a: Any, b: Any, tolerance: Tolerance) -> bool:
    tolerance.measured.is_exact = False
    times = 1.0 if tolerance.across else _TIMES.get(a["d"], 1.0)
    if "n" not in a or "n" not in b:
        if "n" in a or "n" in b or len(a["v"]) != len(b["v"]):
            return False
        values = [(as_float(x), as_float(y)) for x, y in zip(a["v"], b["v"], strict=True)]
        finite = [abs(v) for pair in values for v in pair if math.isfinite(v)]
        size = math.sqrt(sum(v * v for v in finite) / 2) if finite else 0.0
        return all(tolerance.accepts(x, y, size, times) for x, y in values)
    if a.get("x") != b.get("x"):
        return False
    size = max(a["n"], b["n"])
    return tolerance.accepts(a["n"], b["n"], size, times) and all(
        tolerance.accepts(x, y, size, times) for x, y in zip(a["p"], b["p"], strict=True)
    )


def _numbers_agree(a: Any, b: Any, tolerance: Tolerance) -> bool:
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
        tolerance.measured.is_exact = False
        return False
    return tolerance.accepts(as_float(values[0]), as_float(values[1]))


def _is_whole(value: Any) -> bool:
    """Whether a number is an integer by its type."""
    if value["k"] == "number":
        return isinstance(value["v"], int)
    return bool(value["d"].lstrip("u").startswith("int"))
