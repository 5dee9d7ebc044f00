"""What is cut from its graph as it is read: `output.data.max(1)`."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.tensors.wrappers import unwrapped

#: What gives a tensor without the graph of the one it is read from.
_CUTTING = frozenset({"data", "detach"})


def cuts(node: ast.AST) -> bool:
    """Whether an expression reads a tensor without its graph: ``x.data``, ``x.detach``."""
    return isinstance(node, ast.Attribute) and node.attr in _CUTTING


def reads_detached(value: ast.expr) -> bool:
    """``output.data.max(1)``: whatever ``output`` is, the result is cut from its graph."""
    node: ast.AST = value
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if cuts(node):
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def is_cut_off(value: ast.expr) -> bool:
    """``weight.data``, ``weight.detach().cpu()``: certainly no part of a graph."""
    return not _CUTTING.isdisjoint(unwrapped(value)[1])
