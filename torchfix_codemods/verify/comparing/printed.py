"""Printed lines side by side: their words, and the numbers among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchfix_codemods.verify.comparing.tolerance import Measured, Tolerance

_TENSOR = re.compile(
    r"tensor\(\s*([-+\w.]+)(?:,\s*(?:device='[^']*'|dtype=[\w.]+|grad_fn=<\w+>|requires_grad=\w+))*\)"
)
_GRAPH = re.compile(r",\s*(?:grad_fn=<\w+>|requires_grad=True)(?=[,)])")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bnan\b|\binf\b")

_BETWEEN = re.compile(r"(?<=[#,])\s+(?=#)")
_PADDING = re.compile(r"(?<=\[)\s+|\s+(?=\])")


def differing_lines(a: str, b: str, tolerance: Tolerance) -> Iterator[tuple[str, str, str, bool]]:
    """Where two printed lines differ: in a number, or in the words around the numbers.

    Returns:
        the path and both lines, and whether it is no more than the last printed digit.
    """
    if a == b:
        return
    one, other = _normal(a), _normal(b)
    if one == other:
        return
    ours, theirs = _NUMBER.findall(one), _NUMBER.findall(other)
    if words_of(a) != words_of(b) or len(ours) != len(theirs):
        tolerance.measured.is_exact = False
        yield "words", a, b, False
        return
    for number, (x, y) in enumerate(zip(ours, theirs, strict=True)):
        if x == y:
            continue
        if float(x) == float(y) and _is_written_whole(x) != _is_written_whole(y):
            tolerance.measured.is_exact = False
            yield f"number {number}", a, b, False
        elif not tolerance.accepts(float(x), float(y)):
            yield f"number {number}", a, b, bool(tolerance.rtol) and _is_rounding(x, y)


def words_of(line: str) -> str:
    """A printed line without its numbers, and without the spaces that line up those of an array:
    how wide its columns are follows from digits of any of them.
    """
    normal = _normal(line)
    words = _NUMBER.sub("#", normal)
    if not ("[" in words or "]" in words) or not any("." in n for n in _NUMBER.findall(normal)):
        return words
    return _PADDING.sub("", _BETWEEN.sub(" ", words))


def same_numbers(a: str, b: str, rtol: float) -> bool:
    """Whether two printed lines have the same numbers, whatever they say of them."""
    tolerance = Tolerance(rtol, False, Measured())
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
