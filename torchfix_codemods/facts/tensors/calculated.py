"""What is calculated from numbers and from tensors of no dimension: ``correct / total``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Instance, Module, Number, Tensor

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
    if isinstance(node, ast.Call):
        return facts.names.builtin(node.func) in ("min", "max") and all(
            _is_of_numbers(facts, argument, seen, depth + 1) for argument in values_given(node)
        )
    if isinstance(node, ast.Subscript) and constant(node.slice) == 0:
        return _is_of_numbers(facts, _without_data(node.value), seen, depth + 1)
    if isinstance(node, ast.Attribute):
        return _holds_number(facts, node, seen, depth)
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


def _without_data(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node


def _holds_number(
    facts: Facts, attribute: ast.Attribute, seen: frozenset[Binding], depth: int
) -> bool:
    """Whether all that a class stores as ``self.name`` are such numbers."""
    holder = facts.value(attribute.value)
    definition = holder.definition if isinstance(holder, (Module, Instance)) else None
    if definition is None or facts.classes.kind(definition) == "unknown":
        return False
    if facts.files is not None and facts.files.is_assigned_anywhere(attribute.attr):
        return False
    sources = facts.classes.attribute_sources(definition, attribute.attr)
    return bool(sources) and all(
        source in seen or _stores_number(facts, source, seen | {source}, depth + 1)
        for source in sources
    )


def _stores_number(facts: Facts, source: Binding, seen: frozenset[Binding], depth: int) -> bool:
    statement = source.node
    if isinstance(statement, ast.AugAssign):
        is_elementwise = isinstance(statement.op, ELEMENTWISE)
        return is_elementwise and _is_of_numbers(facts, statement.value, seen, depth)
    written = source.written()
    return written is not None and _is_of_numbers(facts, written, seen, depth)
