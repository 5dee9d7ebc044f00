"""Numbers of dimensions that a tensor can have, as sets of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import whole_number

#: The numbers of dimensions that are told apart; the last stands for all above, too.
MANY = 5
ANY = frozenset(range(MANY + 1))


def at_least(least: int) -> frozenset[int]:
    """So many dimensions, and more."""
    return frozenset(range(min(least, MANY), MANY + 1))


def needed(dim: ast.expr) -> int:
    """How many dimensions a tensor has that has one of a certain number."""
    number = whole_number(dim)
    return 0 if number is None else max(number + 1, -number)


def with_dims(dims: Iterable[ast.expr]) -> frozenset[int]:
    """What has all dimensions that are named: 3 and more of ``x.transpose(0, 2)``."""
    return at_least(max(map(needed, dims), default=0))
