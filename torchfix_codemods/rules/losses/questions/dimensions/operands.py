"""What is calculated with beside a tensor, element by element, and how many dimensions it has."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import of_same_shape
from torchfix_codemods.facts.values.lattice import Number


def joined_with(
    facts: Facts, tensor: ast.expr, others: Iterable[ast.expr], after: frozenset[int]
) -> frozenset[int]:
    """What an operation, element by element, takes where it gives so many dimensions.

    Args:
        facts: the facts of the module.
        tensor: what is asked for.
        others: what it is calculated with.
        after: the numbers of dimensions that the result can have.
    """
    if all(adds_no_dimension(facts, tensor, other) for other in others):
        return after
    # With what has more dimensions, the result has as many.
    return frozenset(range(max(after) + 1))


def adds_no_dimension(facts: Facts, tensor: ast.expr, other: ast.expr) -> bool:
    """Whether ``other`` is a number, or has the shape of ``tensor``: ``p.log()`` beside ``p``."""
    if isinstance(facts.value(other), Number):
        return True
    one, another = _shaped(facts, tensor), _shaped(facts, other)
    if not isinstance(one, ast.Name) or not isinstance(another, ast.Name):
        return False
    is_one = one.id == another.id and facts.statement(one) is facts.statement(another)
    return is_one and facts.flow.reaching(one) == facts.flow.reaching(another)


def _shaped(facts: Facts, node: ast.expr) -> ast.expr:
    """What gives an expression its shape."""
    while (inner := of_same_shape(facts, node)) is not None:
        node = inner
    return node
