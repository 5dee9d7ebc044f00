"""What is calculated from numbers and from tensors of no dimension: ``correct / total``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.changes import may_be_reshaped
from torchfix_codemods.facts.flow import ELEMENTWISE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.scopes import Binding
from torchfix_codemods.facts.values import Number, Tensor

_MAX_DEPTH = 12


def is_of_numbers(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a number of Python or a tensor of no dimension, whichever it is.

    A sum that a loop adds to is its start where the loop does not run.
    """
    return _is_of_numbers(facts, node, frozenset(), 0)


def _is_of_numbers(facts: Facts, node: ast.expr, seen: frozenset[Binding], depth: int) -> bool:
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.BinOp) and isinstance(node.op, ELEMENTWISE):
        return all(_is_of_numbers(facts, n, seen, depth + 1) for n in (node.left, node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return _is_of_numbers(facts, node.operand, seen, depth + 1)
    value = facts.value(node)
    if isinstance(value, Number):
        return True
    if isinstance(value, Tensor) and value.ndim is not None:
        return value.ndim == 0
    # A use shows that it is a tensor, and nothing of its dimensions.
    if not isinstance(node, ast.Name) or may_be_reshaped(facts.inference, node):
        return False
    bindings = facts.flow.reaching(node)
    return bool(bindings) and all(_binds_number(facts, b, seen, depth + 1) for b in bindings)


def _binds_number(facts: Facts, binding: Binding, seen: frozenset[Binding], depth: int) -> bool:
    if binding in seen:
        return True
    statement = binding.node
    if isinstance(statement, ast.AugAssign):
        before = facts.flow.reaching_before(statement, binding.name)
        return (
            isinstance(statement.op, ELEMENTWISE)
            and bool(before)
            and all(_binds_number(facts, b, seen | {binding}, depth + 1) for b in before)
            and _is_of_numbers(facts, statement.value, seen | {binding}, depth + 1)
        )
    written = binding.written() if binding.kind == "assign" else None
    return written is not None and _is_of_numbers(facts, written, seen | {binding}, depth + 1)
