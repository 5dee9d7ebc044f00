"""What stands around a tensor and hands on its numbers."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given

#: What stands between a tensor and the index, and hands on its one element.
WRAPPERS = frozenset({"data", "cpu", "numpy", "tolist", "detach", "clone"})

#: Types of numpy, and Python's, that hold each float32 as it is.
FLOATS = frozenset({"float", "float32", "float64", "float_", "double"})


def unwrapped(node: ast.expr) -> tuple[ast.expr, frozenset[str]]:
    """The tensor below ``.data``, ``.cpu()``, ``.numpy()`` and the like, and their names."""
    wrappers: set[str] = set()
    while True:
        node = _without_cast(node)
        inner = node.func if isinstance(node, ast.Call) and not len(values_given(node)) else node
        if not isinstance(inner, ast.Attribute) or inner.attr not in WRAPPERS:
            return node, frozenset(wrappers)
        if (inner.attr == "data") is not (inner is node):
            return node, frozenset(wrappers)
        wrappers.add(inner.attr)
        node = inner.value


def _without_cast(node: ast.expr) -> ast.expr:
    """``x.numpy()`` of ``x.numpy().astype(float)``, which holds the same numbers."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return node
    asked, dtype = node.func, node.args[0]
    if not isinstance(asked, ast.Attribute) or asked.attr != "astype":
        return node
    array = asked.value.func if isinstance(asked.value, ast.Call) else None
    if not isinstance(array, ast.Attribute) or array.attr != "numpy":
        return node
    return asked.value if gives_floats(ast.unparse(dtype)) else node


def gives_floats(dtype: str) -> bool:
    """Whether what ``astype`` is given has the digits of a float32: ``float``, ``np.float64``."""
    return dtype.strip("'\"").rpartition(".")[2] in FLOATS
