"""A list of arrays of which a loop makes others: ``rows[i] = np.roll(rows[i], n)``."""

from __future__ import annotations

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Array, Unknown

_BUFFERS = """
class Buffers:
    def __init__(self, sizes):
        self.rows = []
        for size in sizes:
            self.rows.append({first})
    def push(self, seen, n, a, b):
        for i in range(3):
            self.rows[i] = {made}
        for i in range(3):
            self.rows[i][a:b] = seen[i]
    def sample(self, chosen):
        for i in range(3):
            look(self.rows[i][chosen])
"""


@pytest.mark.parametrize(
    "made",
    [
        "np.roll(self.rows[i], n, axis=0)",
        "np.clip(self.rows[i], 0, 1)",
        "np.flip(np.abs(self.rows[i]))",
        "np.append(self.rows[i], seen)",
        "self.rows[i] * 2",
    ],
)
def test_of_arrays_are_arrays(made: str) -> None:
    assert value_of(_BUFFERS.format(first="np.zeros(size)", made=made)) == Array()


@pytest.mark.parametrize(
    ("first", "made"),
    [
        ("np.zeros(size)", "np.clip(seen, 0, 1)"),
        ("np.zeros(size)", "np.clip(self.rows[i], seen, n)"),
        ("np.zeros(size)", "seen * self.rows[i]"),
        ("np.zeros(size)", "kept.roll(self.rows[i], n)"),
        ("made(size)", "np.clip(self.rows[i], 0, 1)"),
        ("made(size)", "np.roll(self.rows[i], n)"),
    ],
)
def test_of_what_is_not_known_is_not_known(first: str, made: str) -> None:
    assert isinstance(value_of(_BUFFERS.format(first=first, made=made)), Unknown)
