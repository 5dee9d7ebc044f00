"""What a reduction meets element by element: torch 0.1 asked for as many elements only."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.kept_dimensions import DISTANCE, gives_places
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
    would compare each with each today. Of distances in one function all keep the column or none,
    as one may meet the other where that is out of sight.
    """
    if not is_distance(facts, call):
        return follow([Place(facts, call)], _at) is not None
    function = facts.names.enclosing_function(call)
    return any(
        is_distance(facts, each) and follow([Place(facts, each)], _at_any) is not None
        for each in facts.names.nodes.get(ast.Call, ())
        if isinstance(each, ast.Call) and facts.names.enclosing_function(each) is function
    )


def is_distance(facts: Facts, call: ast.Call) -> bool:
    """Whether a call gives the distances of rows, which were a column until torch 0.3."""
    return facts.name(call.func) == DISTANCE


def meets_distances(facts: Facts, call: ast.Call) -> bool:
    """Whether distances meet distances, and nothing else: the same is calculated of both shapes."""
    if not is_distance(facts, call) or follow([Place(facts, call)], _at_any) is None:
        return False
    return follow([Place(facts, call)], _at_others) is None


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
    return _next(use)


def _at_any(use: Use) -> Iterable[Place] | None:
    """None where any tensor is met."""
    if any(not isinstance(use.facts.value(other), Number) for other in _others(use)):
        return None
    return _next(use)


def _at_others(use: Use) -> Iterable[Place] | None:
    """None where something is met that is not made of distances alone."""
    if any(not _is_of_distances(use.facts, other) for other in _others(use)):
        return None
    return _next(use)


def _next(use: Use) -> Iterable[Place]:
    """What holds the same elements next, in the same shape."""
    if use.kind in ("attribute", "asked", "compared", "operand"):
        return use.result()
    if use.kind == "item" and isinstance(use.by, ast.Subscript):
        is_part = isinstance(use.node, ast.Call) and gives_places(function_of(use.node))
        return use.result() if is_part and constant(use.by.slice) in (0, 1) else ()
    if use.kind in ("argument", "method") and isinstance(use.by, ast.Call):
        is_alike = keeps_shape(function_of(use.by)) or _is_of_two(use.facts, use.by)
        return use.result() if is_alike else ()
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
    if isinstance(by, ast.Call) and (_takes_another(function_of(by)) or _is_of_two(use.facts, by)):
        given = [value for value in values_given(by) if value is not use.node]
        is_given = use.kind == "argument" and isinstance(by.func, ast.Attribute)
        if is_given and isinstance(by.func, ast.Attribute) and use.facts.name(by.func) is None:
            given.append(by.func.value)
        return given
    return []


def _takes_another(function: str) -> bool:
    """Whether another tensor that an operation takes is of the same size."""
    return function == "equal" or torch_effects.calculates(torch_effects.of_any(function))


def _is_of_two(facts: Facts, call: ast.Call) -> bool:
    """``torch.min(a, b)``, ``a.max(b)``: the smaller or larger of the elements of two tensors."""
    count = 2 if facts.name(call.func) is not None else 1
    is_extreme = gives_places(function_of(call)) and not call.keywords
    return is_extreme and len(call.args) == count and isinstance(facts.value(call), Tensor)


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


def _is_of_distances(facts: Facts, node: ast.expr, seen: frozenset[ast.expr] = frozenset()) -> bool:
    """Whether an operand is a number, or calculated of distances and numbers alone.

    Args:
        facts: the facts of the module.
        node: the operand.
        seen: what is asked already: ``total = total + distance``.
    """
    if node in seen or isinstance(facts.value(node), Number):
        return True
    seen |= {node}
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return bool(made) and all(_is_of_distances(facts, each, seen) for each in made)
    if isinstance(node, ast.BinOp):
        return all(_is_of_distances(facts, side, seen) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return _is_of_distances(facts, node.operand, seen)
    if not isinstance(node, ast.Call) or is_distance(facts, node):
        return isinstance(node, ast.Call)
    function = function_of(node)
    if not (_is_of_two(facts, node) or keeps_shape(function) or _takes_another(function)):
        return False
    taken = [*node.args]
    if isinstance(node.func, ast.Attribute) and facts.name(node.func) is None:
        taken.append(node.func.value)
    return bool(taken) and all(_is_of_distances(facts, each, seen) for each in taken)


def _is_reduction(facts: Facts, node: ast.expr) -> bool:
    # What a pair is unpacked from is no tensor itself.
    if isinstance(node, ast.Call) and gives_places(function_of(node)):
        return dim_of(facts, node) is not None
    return bool(reduced(facts, node).calls)
