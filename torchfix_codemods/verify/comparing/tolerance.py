"""How far numbers may lie apart, and how far those were that did agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Measured:
    """What was seen of numbers that agree."""

    is_exact: bool = True
    """Whether all that was compared has the same bits."""
    largest: float = 0.0
    """The largest relative difference that was accepted."""


#: Across versions, how much tensors may differ at least, relative to the largest of the event, in
#: parts of the tolerance.
_OF_OTHERS = 0.1
_OF_GRADIENTS = 10.0

#: Kinds of events that are nothing but gradients.
GRADIENTS = frozenset({"grads", "grad"})

#: Kinds of events that tell what parameters are.
_OF_PARAMETERS = frozenset({"step", "save", "final"})

#: Where numbers come from terms of about 1, however small they are.
_COMPUTED = frozenset({"forward", "backward"})
_OUTCOMES = _COMPUTED | {"print"}


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
            finite = [v for v in map(as_float, numbers) if math.isfinite(v)]
            yield math.sqrt(sum(v * v for v in finite))
        else:
            yield from _norms(value.get("i", []))


@dataclass
class Tolerance:
    rtol: float
    bytes_are_bools: bool
    measured: Measured
    across: bool = False
    atol: float = 0.0
    in_steps: bool = False
    """Whether what parameters are off in all is looked at by itself: those of an event are compared
    relative to the largest of them, and gradients less strictly."""
    steepest: float = 0.0
    """The size of the largest gradient so far."""
    is_saved: bool = False
    """Whether what is compared goes into a file."""

    def look_at(self, kind: str, value: Any, of_gradients: bool) -> None:
        """Set what is too little to be seen in a value of an event."""
        if self.in_steps and kind in _COMPUTED and not of_gradients:
            # A loss of nearly nothing is what is left of larger terms.
            self.atol = self.rtol * _OF_OTHERS
            return
        if not (self.across or of_gradients or (self.in_steps and kind in _OF_PARAMETERS)):
            self.atol = 0.0
            return
        size = max(_norms(value), default=0.0)
        if not self.across:
            # Those far below the others are what rounding left of zero.
            self.atol = self.rtol * size * _OF_OTHERS
            if self.in_steps and of_gradients:
                # The better the fit is, the more of it cancels out.
                self.steepest = max(self.steepest, size)
                most = max(size * _OF_GRADIENTS, self.steepest * _OF_OTHERS)
                self.atol = self.rtol * most
            return
        # Gradients are what is left of larger terms, the more so the better the fit is.
        self.atol = self.rtol * size * (_OF_GRADIENTS if of_gradients else _OF_OTHERS)
        if kind in _OUTCOMES and not of_gradients:
            self.atol = max(self.atol, self.rtol * _OF_OTHERS)

    def accepts(self, a: float, b: float, size: float | None = None, times: float = 1.0) -> bool:
        """Whether two numbers are close; the larger difference is kept.

        Args:
            a: a number.
            b: the other one.
            size: what they are relative to; None: the larger of them.
            times: how many times the tolerance they may differ.
        """
        if a == b or (math.isnan(a) and math.isnan(b)):
            return True
        if not (math.isfinite(a) and math.isfinite(b)):
            return False
        size = max(abs(a), abs(b)) if size is None else size
        self.measured.is_exact = False
        if self.atol:
            size = max(size, self.atol / self.rtol)
        distance = abs(a - b) / size if size else math.inf
        if distance > self.rtol * times:
            return False
        self.measured.largest = max(self.measured.largest, distance)
        return True


def as_float(value: Any) -> float:
    """A number of a record, also where JSON has no word for it."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
