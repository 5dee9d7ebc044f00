"""What is calculated with beside a tensor, element by element, and how many dimensions it has."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.forms.applied import apply
from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import of_same_shape, reduced
from torchfix_codemods.facts.values.lattice import Number, Tensor, ndim_of


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
    beside = list(others)
    if any(is_column_of(facts, other, tensor) for other in beside):
        return frozenset({2})
    if all(adds_no_dimension(facts, tensor, other) for other in beside):
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


def is_column_of(facts: Facts, node: ast.expr, tensor: ast.expr) -> bool:
    """Whether a column has one number for each row of ``tensor``: ``x.sum(1).view(-1, 1)``.

    It goes with the rows of two dimensions: of more, it would be longer than the last but one.

    Args:
        facts: the facts of the module.
        node: the column, maybe as large as another: ``x.sum(1).view(-1, 1).expand_as(x)``.
        tensor: what it is calculated with, or made as large as.
    """
    found = made_by(facts, node)
    if found is None or found[0] not in ("view", "reshape"):
        return False
    if [whole_number(size) for size in found[2].args] != [-1, 1]:
        return False
    rows = reduced(facts, found[1])
    is_row_each = rows.dims == (1,) and not isinstance(facts.value(rows.tensor), Number)
    return is_row_each and adds_no_dimension(facts, tensor, rows.tensor)


def _shaped(facts: Facts, node: ast.expr) -> ast.expr:
    """What gives an expression its shape."""
    while (inner := of_same_shape(facts, node)) is not None:
        node = inner
    return node


def ndim_of_index(facts: Facts, call: ast.Call) -> int | None:
    """How many dimensions the index of ``gather`` has, which are as many as those of the input.

    Args:
        facts: the facts of the module.
        call: the call of ``gather``.
    """
    found = operated(facts, call)
    index = None if found is None else argument(found[2], 1, "index")
    return None if index is None else ndim_where_tensor(facts, index)


def ndim_where_tensor(facts: Facts, node: ast.expr) -> int | None:
    """How many dimensions an expression has, which is a tensor or the code raises: ``y.view(-1)``.

    Args:
        facts: the facts of the module.
        node: the expression.
    """
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    if made is not None and len(made) == 1:
        node = made[0]
    known = ndim_of(facts.value(node))
    if known is not None or not isinstance(node, ast.Call) or is_opaque(node):
        return known
    operation = operated(facts, node)
    if operation is None:
        return None
    given = apply(facts.inference, operation[0], operation[2], Tensor())
    return None if given is None else ndim_of(given)


def made_by(facts: Facts, node: ast.expr) -> tuple[str, ast.expr, ast.Call] | None:
    """What an operation of torch makes of a tensor: ``"unsqueeze"``, p and the call of the rest.

    As large as another, of ``p.unsqueeze(2).expand_as(x)``, is still what it was made before.

    Args:
        facts: the facts of the module.
        node: ``p.unsqueeze(2)``.
    """
    found = operated(facts, node) if isinstance(node, ast.Call) and not is_opaque(node) else None
    if found is None:
        return None
    operation, tensor, rest = found
    function = operation.rpartition(".")[2]
    return (
        made_by(facts, tensor) if function in ("expand", "expand_as") else (function, tensor, rest)
    )
