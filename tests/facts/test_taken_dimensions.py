"""The operations that take so many dimensions, held against the installed torch."""

from __future__ import annotations

import pytest
import torch

from torchfix_codemods.facts.libraries.data import cells
from torchfix_codemods.facts.libraries.taken_dimensions import taken_by

OPERATIONS = sorted(cells("taken_dimensions.csv"))


def _is_taken(operation: str, first: int, second: int | None) -> bool:
    given = [torch.ones([2] * first)]
    if second is not None:
        given.append(torch.ones([2] * second))
    more = [1] if operation == "multinomial" else []
    try:
        getattr(torch, operation)(*given, *more)
    except (RuntimeError, IndexError):
        return False
    return True


@pytest.mark.parametrize("operation", OPERATIONS)
def test_others_are_not_taken(operation: str) -> None:
    first, second = taken_by(operation, 0), taken_by(operation, 1)
    others: list[int | None] = [*range(5)] if second else [None]
    for ndim in range(5):
        is_taken = any(_is_taken(operation, ndim, other) for other in others)
        assert is_taken is (ndim in first)
    for other in range(5) if second else ():
        is_taken = any(_is_taken(operation, ndim, other) for ndim in range(5))
        assert is_taken is (other in second)


def test_what_takes_any_is_not_listed() -> None:
    assert not taken_by("cat", 0)
    assert not taken_by("mm", 2)


def test_what_old_torch_took_is_less() -> None:
    assert taken_by("t", 0, is_old=True) < taken_by("t", 0)
    assert taken_by("mm", 0, is_old=True) == taken_by("mm", 0)
    assert not taken_by("t", 1, is_old=True)
