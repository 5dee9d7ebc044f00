"""Which expressions are whole numbers, or tensors of them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import ARITHMETIC, holds_integers, is_int
from torchfix_codemods.facts.tensors.layouts import core_of, is_cast
from torchfix_codemods.facts.values.lattice import Tensor

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


def counts_integers(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a tensor of whole numbers, also one that begins as 0."""
    if is_integer_tensor(facts, node):
        return True
    return isinstance(node, ast.Name) and _is_sum_of_integers(facts, node)


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
