"""Which expressions are whole numbers, or tensors of them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import ARITHMETIC, holds_integers, is_int
from torchfix_codemods.facts.tensors.layouts import core_of, is_cast
from torchfix_codemods.facts.values.lattice import Number, Tensor

#: Methods that cast to whole numbers.
CASTS = ("long", "int", "short")


def is_integer_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a tensor of whole numbers."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return holds_integers(value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
        parts = (node.left, node.right)
        return any(is_integer_tensor(facts, part) for part in parts) and all(
            is_integer(facts, part) for part in parts
        )
    core = core_of(node)
    if core is not node:
        return is_integer_tensor(facts, core)
    return any(is_cast(facts, node, method) for method in CASTS)


def was_integer_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression certainly gave a tensor of whole numbers in the torch of the file.

    Until 1.2 a float that such a tensor was calculated with was cut to a whole number.
    """
    if is_integer_tensor(facts, node):
        return True
    if isinstance(node, ast.Name):
        return _is_sum_of_integers(facts, node)
    if not (isinstance(node, ast.BinOp) and facts.era_of(node).before((1, 3))):
        return False
    sides = (node.left, node.right)
    return (
        isinstance(node.op, ARITHMETIC)
        and any(was_integer_tensor(facts, side) for side in sides)
        and any(isinstance(facts.value(side), Number) for side in sides)
    )


def has_float_in_it(facts: Facts, node: ast.expr) -> bool:
    """Whether whole numbers are calculated with a float, which makes floats of them since 1.3."""
    is_sum = isinstance(node, ast.Name) and _is_sum_of_integers(facts, node)
    return not is_integer_tensor(facts, node) and not is_sum


def _is_sum_of_integers(facts: Facts, name: ast.Name) -> bool:
    """``correct`` of ``correct = 0`` and, in a loop, ``correct += (x == y).sum()``."""
    bindings = facts.flow.reaching(name)
    added = [
        b.node.value
        for b in bindings
        if isinstance(b.node, ast.AugAssign) and isinstance(b.node.op, ARITHMETIC)
    ]
    first = [b.value for b in bindings if b.kind == "assign" and not b.path and b.value is not None]
    return (
        len(added) + len(first) == len(bindings)
        and any(is_integer_tensor(facts, value) for value in added)
        and all(is_integer(facts, value) for value in (*added, *first))
    )


def is_integer(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a whole number, or a tensor of them."""
    return is_int(facts, node) or is_integer_tensor(facts, node)
