"""What the assertions of ``unittest`` do with the values that they are given.

A line of ``assertions.csv`` says how one asks: it ``compares`` two values by an operator of Python;
it ``rounds`` their difference where they are not equal, unless it is told a ``delta``; it ``tests``
whether one value is true.

Source: https://docs.python.org/3/library/unittest.html#assert-methods
"""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import cells


def values_of(method: str) -> int:
    """How many values an assertion asks something of, which come first; 0 for what is none.

    >>> values_of("assertEqual"), values_of("assertTrue"), values_of("assertEquality")
    (2, 1, 0)
    """
    asks = table().get(method)
    return 0 if asks is None else 1 if asks == "tests" else 2


def rounds(method: str) -> bool:
    """Whether an assertion rounds a difference, as Python rounds numbers: ``assertAlmostEqual``."""
    return table().get(method) == "rounds"


def rounding() -> frozenset[str]:
    """The assertions that round a difference."""
    return frozenset(filter(rounds, table()))


@functools.cache
def table() -> dict[str, str]:
    """By method, how it asks."""
    return {method: asks for method, (asks,) in cells("assertions.csv").items()}
