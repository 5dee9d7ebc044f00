"""What a reduction meets element by element: torch 0.1 asked for as many elements only."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.kept_dimensions import gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.reductions import (
    dim_of,
    function_of,
    keeps_shape,
    reduced,
)
from torchfix_codemods.facts.values.lattice import Number, Tensor


def meets_another(facts: Facts, call: ast.Call) -> bool:
    """Whether what a reduction gives is calculated with, or compared to, what is no reduction.

    ``preds == answers`` of ``_, preds = scores.max(1)``: with the dimension that torch 0.1 kept, it
    would compare each with each today.
    """
    return follow([Place(facts, call)], _at) is not None


def meets_unknown_labels(facts: Facts, call: ast.Call) -> bool:
    """Whether all that is known of what a reduction meets first is that it is compared to it.

    ``preds == answers`` asks for classes, which have one dimension unless something shows two.
    """
    met = follow([Place(facts, call)], _at)
    if met is None:
        return False
    by, values = met.end.by, [met.end.facts.value(other) for other in _others(met.end)]
    function = function_of(by) if isinstance(by, ast.Call) else "equal"
    is_compared = isinstance(by, (ast.Compare, ast.Call)) and (
        function == "equal" or torch_effects.compares(torch_effects.of_any(function))
    )
    return is_compared and not any(isinstance(v, Tensor) and v.ndim != 1 and v.ndim for v in values)


def _at(use: Use) -> Iterable[Place] | None:
    """None where something else is met; else what holds the same elements, in the same shape."""
    if any(not _fits(use.facts, other) for other in _others(use)):
        return None
    if use.kind in ("attribute", "asked", "compared", "operand"):
        return use.result()
    if use.kind == "item" and isinstance(use.by, ast.Subscript):
        is_part = isinstance(use.node, ast.Call) and gives_places(function_of(use.node))
        return use.result() if is_part and constant(use.by.slice) in (0, 1) else ()
    if use.kind in ("argument", "method") and isinstance(use.by, ast.Call):
        return use.result() if keeps_shape(function_of(use.by)) else ()
    if use.kind in ("bound", "unpacked"):
        is_named = all(isinstance(target, ast.Name) for target, _ in use.targets())
        return use.held() if is_named else ()
    return ()


def _others(use: Use) -> list[ast.expr]:
    """What stands beside an expression where both are taken element by element."""
    by = use.by
    if isinstance(by, ast.BinOp):
        return [side for side in (by.left, by.right) if side is not use.node]
    if isinstance(by, ast.Compare):
        return [side for side in (by.left, *by.comparators) if side is not use.node]
    if isinstance(by, ast.AugAssign):
        return [by.value if by.target is use.node else by.target]
    if isinstance(by, ast.Call) and _takes_another(function_of(by)):
        given = [value for value in values_given(by) if value is not use.node]
        is_given = use.kind == "argument" and isinstance(by.func, ast.Attribute)
        if is_given and isinstance(by.func, ast.Attribute) and use.facts.name(by.func) is None:
            given.append(by.func.value)
        return given
    return []


def _takes_another(function: str) -> bool:
    """Whether another tensor that an operation takes is of the same size."""
    return function == "equal" or torch_effects.calculates(torch_effects.of_any(function))


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
    if isinstance(node, ast.Call) and gives_places(function_of(node)):
        return dim_of(facts, node) is not None
    return bool(reduced(facts, node).calls)
