"""What stands around a tensor and hands on its numbers."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given

#: What stands between a tensor and the index, and hands on its one element.
WRAPPERS = frozenset({"data", "cpu", "numpy", "tolist", "detach", "clone"})


def unwrapped(node: ast.expr) -> tuple[ast.expr, frozenset[str]]:
    """The tensor below ``.data``, ``.cpu()``, ``.numpy()`` and the like, and their names."""
    wrappers: set[str] = set()
    while True:
        inner = node.func if isinstance(node, ast.Call) and not len(values_given(node)) else node
        if not isinstance(inner, ast.Attribute) or inner.attr not in WRAPPERS:
            return node, frozenset(wrappers)
        if (inner.attr == "data") is not (inner is node):
            return node, frozenset(wrappers)
        wrappers.add(inner.attr)
        node = inner.value
