"""Sizes that are certainly handed over: no None, which stands for other sizes today."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Maybe, NoneValue, Sequence, Unknown


def are_sizes_given(facts: Facts, node: ast.expr) -> bool:
    """Whether an argument that may be None, or empty, is certainly not.

    A parameter without None as its default counts as given.
    """
    return come_from([Place(facts, node)], _before_sizes)


def _before_sizes(place: Place) -> Iterable[Place] | None:
    """None for what may be no sizes; else what sizes of unknown value come from."""
    facts, node = place.facts, place.node
    if place.content:
        return sources(place)
    value = facts.inference.possible(node)
    if isinstance(value, (Maybe, NoneValue)):
        return None
    if isinstance(value, Sequence):
        return None if value.items == () else ()
    if not isinstance(value, Unknown):
        return ()
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        is_parameter = bool(bindings) and all(b.kind == "parameter" for b in bindings)
        return () if is_parameter else sources(place)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return ()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("size", "tolist"):
            return ()
    is_shape = isinstance(node, ast.Attribute) and node.attr == "shape"
    return () if is_shape or isinstance(node, ast.BinOp) else sources(place)
