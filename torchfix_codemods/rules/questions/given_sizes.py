"""Sizes that are certainly handed over: no None, which stands for other sizes today."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Maybe, NoneValue, Sequence, Unknown

_MAX_DEPTH = 4


def are_sizes_given(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an argument that may be None, or empty, is certainly not.

    A parameter without None as its default counts as given.
    """
    value = facts.inference.possible(node)
    if isinstance(value, (Maybe, NoneValue)) or depth > _MAX_DEPTH:
        return False
    if isinstance(value, Sequence):
        return value.items != ()
    if not isinstance(value, Unknown):
        return True
    if isinstance(node, ast.Name):
        return _are_given_to(facts, node, depth)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in ("size", "tolist")
    return isinstance(node, ast.BinOp) or (isinstance(node, ast.Attribute) and node.attr == "shape")


def _are_given_to(facts: Facts, name: ast.Name, depth: int) -> bool:
    """Whether a name of unknown value is a parameter, or is assigned sizes on all ways to it."""
    bindings = facts.flow.reaching(name)
    if all(binding.kind == "parameter" for binding in bindings):
        return bool(bindings)
    assigned = facts.assigned(name)
    return assigned is not None and all(are_sizes_given(facts, v, depth + 1) for v in assigned)
