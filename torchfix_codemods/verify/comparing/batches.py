"""A batch that a module is called with at once, or part by part.

Of numbers that go in only the CRC of all their bits is known, but that of a whole follows from
those of its parts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from torchfix_codemods.verify.comparing.tolerance import Tolerance, as_float
from torchfix_codemods.verify.comparing.values import tensors_in
from torchfix_codemods.verify.runs import Event

#: What the CRC of zlib is a remainder of, with the lowest power first.
_POLYNOMIAL = 0xEDB88320
_ONE, _X = 1 << 31, 1 << 30

_BITS = re.compile(r"(?:float|complex|u?int)(\d+)")


def parts_of(whole: Event, others: Sequence[Event], tolerance: Tolerance) -> range | None:
    """Which calls of a module, one after another, are given a batch in parts.

    Args:
        whole: the call that is given all of the batch.
        others: calls of another run, in order.
        tolerance: how much what they give may differ from what the whole batch gives; what they
            are given has the same bits.

    Returns:
        where they are among the others; None: there are no such calls.
    """
    rows = _rows(whole)
    for start in range(len(others) if rows else 0):
        end, left = start, rows
        while end < len(others) and left > 0 and whole["mode"] == others[end]["mode"]:
            left -= _rows(others[end])
            end += 1
        found = others[start:end]
        if (
            left == 0
            and len(found) > 1
            and _is_made_of(whole["input"], [each["input"] for each in found], None)
            and _is_made_of(whole["value"], [each["value"] for each in found], tolerance)
        ):
            return range(start, end)
    return None


def crc_of_both(one: int, other: int, size: int) -> int:
    """The CRC of bytes before others, as ``crc32_combine`` of zlib finds it.

    Args:
        one: the CRC of the first bytes.
        other: that of the bytes behind them.
        size: how many bytes the latter are.
    """
    power, factor, exponent = _ONE, _X, 8 * size
    while exponent:
        if exponent & 1:
            power = _product(factor, power)
        factor = _product(factor, factor)
        exponent >>= 1
    return _product(power, one) ^ other


def _product(a: int, b: int) -> int:
    result = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            result ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return result


def _rows(event: Event) -> int:
    """How long the batch of a call is; 0: it has none."""
    sizes = [value["s"] for value in tensors_in(event.get("input"))]
    return int(sizes[0][0]) if sizes and sizes[0] else 0


def _is_made_of(whole: Any, parts: Sequence[Any], tolerance: Tolerance | None) -> bool:
    """Whether a value consists of others, tensor by tensor along the first dimension.

    Args:
        whole: the value.
        parts: the others.
        tolerance: how much numbers may differ; None: not at all.
    """
    if isinstance(whole, list):
        return all(len(part) == len(whole) for part in parts) and all(
            _is_made_of(first, rest, tolerance) for first, *rest in zip(whole, *parts, strict=True)
        )
    kinds = {part["k"] if isinstance(part, dict) else None for part in (whole, *parts)}
    if kinds <= {"tensor", "array"}:
        return _are_joined(whole, parts, tolerance)
    if len(kinds) == 1 and kinds <= {"list", "dict"} and "r" not in whole:
        return _is_made_of(whole["i"], [part["i"] for part in parts], tolerance)
    return all(part == whole for part in parts)


def _are_joined(whole: Any, parts: Sequence[Any], tolerance: Tolerance | None) -> bool:
    """Whether tensors behind one another are another one, or each of them is."""
    told = (whole, *parts)
    if not all("c" in each for each in told) or len({each["d"] for each in told}) > 1:
        return False
    if all((part["s"], part["c"]) == (whole["s"], whole["c"]) for part in parts):
        return True
    if not all(each["s"] for each in told) or any(p["s"][1:] != whole["s"][1:] for p in parts):
        return False
    if sum(part["s"][0] for part in parts) != whole["s"][0]:
        return False
    return _have_the_bits(whole, parts) or (
        tolerance is not None and _are_close(whole, parts, tolerance)
    )


def _have_the_bits(whole: Any, parts: Sequence[Any]) -> bool:
    """Whether the bits of tensors, behind one another, are those of another one."""
    bits = _BITS.fullmatch(whole["d"])
    # Others are read as float32, and bools take a byte.
    width = int(bits[1]) // 8 if bits else {"bool": 1, "bfloat16": 4}.get(whole["d"], 0)
    crc = 0
    for part in parts:
        crc = crc_of_both(crc, part["c"], width * math.prod(part["s"]))
    return width > 0 and crc == whole["c"]


def _are_close(whole: Any, parts: Sequence[Any], tolerance: Tolerance) -> bool:
    """Whether tensors behind one another have the norm and the first numbers of another one."""
    if "n" not in whole or any("x" in each for each in (whole, *parts)):
        return False
    norms = [part["n"] if "n" in part else math.hypot(*map(as_float, part["v"])) for part in parts]
    return tolerance.accepts(whole["n"], math.hypot(*norms)) and all(
        tolerance.accepts(as_float(x), as_float(y), whole["n"])
        for x, y in zip(whole["v"], parts[0]["v"], strict=False)
    )
