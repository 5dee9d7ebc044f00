"""What a reduction meets element by element: torch 0.1 asked for as many elements only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import (
    PAIRS,
    dim_of,
    function_of,
    keeps_shape,
    reduced,
)
from torchfix_codemods.facts.values.lattice import Number

_MOST_PLACES = 50


def meets_another(facts: Facts, call: ast.Call) -> bool:
    """Whether what a reduction gives is calculated with, or compared to, what is no reduction.

    ``preds == answers`` of ``_, preds = scores.max(1)``: with the dimension that torch 0.1 kept, it
    would compare each with each today.
    """
    pending: list[ast.AST] = [call]
    seen: set[ast.AST] = set()
    while pending and len(seen) < _MOST_PLACES:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        parent = facts.parent(node)
        if isinstance(parent, ast.Attribute) and parent.attr != "data":
            node, parent = parent, facts.parent(parent)
        if parent is None:
            continue
        if any(not _fits(facts, other) for other in _others(facts, node, parent)):
            return True
        pending += _holding(facts, node, parent)
    return False


def _others(facts: Facts, node: ast.AST, parent: ast.AST) -> list[ast.expr]:
    """What stands beside an expression where both are taken element by element."""
    if isinstance(parent, ast.BinOp):
        return [side for side in (parent.left, parent.right) if side is not node]
    if isinstance(parent, ast.Compare):
        return [side for side in (parent.left, *parent.comparators) if side is not node]
    if isinstance(parent, ast.AugAssign):
        return [parent.target]
    if isinstance(parent, ast.Call) and _takes_another(function_of(parent)):
        given = [value for value in values_given(parent) if value is not node]
        method = parent.func
        is_given = isinstance(method, ast.Attribute) and method is not node
        if is_given and isinstance(method, ast.Attribute) and facts.name(method) is None:
            given.append(method.value)
        return given
    return []


def _takes_another(function: str) -> bool:
    """Whether another tensor that an operation takes is of the same size."""
    return function == "equal" or torch_effects.calculates(torch_effects.of_any(function))


def _holding(facts: Facts, node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """What holds the same elements, in the same shape."""
    if isinstance(parent, ast.Subscript):
        is_part = isinstance(node, ast.Call) and function_of(node) in PAIRS
        if is_part and constant(parent.slice) in (0, 1):
            yield parent
    elif isinstance(parent, (ast.BinOp, ast.Compare, ast.UnaryOp)):
        yield parent
    elif isinstance(parent, ast.Attribute):
        yield parent
    elif isinstance(parent, ast.Call):
        if keeps_shape(function_of(parent)):
            yield parent
    elif isinstance(parent, ast.Assign):
        for target in parent.targets:
            names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            for name in names:
                if isinstance(name, ast.Name):
                    yield from _uses(facts, parent, name)


def _uses(facts: Facts, statement: ast.stmt, name: ast.Name) -> Iterator[ast.Name]:
    found = facts.names.scope_of(name).lookup(name.id)
    for use in () if found is None else facts.names.uses_of(found[0], name.id):
        if any(binding.node is statement for binding in facts.flow.reaching(use)):
            yield use


def _fits(facts: Facts, other: ast.expr) -> bool:
    """Whether an operand is a number, or a reduction that keeps its dimension just so."""
    if isinstance(facts.value(other), Number):
        return True
    if isinstance(other, ast.Name):
        bindings = facts.flow.reaching(other)
        return bool(bindings) and all(
            binding.value is not None and _is_reduction(facts, binding.value)
            for binding in bindings
        )
    return _is_reduction(facts, other)


def _is_reduction(facts: Facts, node: ast.expr) -> bool:
    # What a pair is unpacked from is no tensor itself.
    if isinstance(node, ast.Call) and function_of(node) in PAIRS:
        return dim_of(facts, node) is not None
    return bool(reduced(facts, node).calls)
