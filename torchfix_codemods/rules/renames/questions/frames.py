"""Tables that pandas made, and what is asked of them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Foreign

FRAME = "pandas.DataFrame"


def asked_of_frame(facts: Facts, node: ast.Attribute) -> str | None:
    """The name of ``frame.ix`` in pandas: None where it is not certain that pandas made it."""
    return f"{FRAME}.{node.attr}" if _is_frame(facts, node.value, frozenset()) else None


def _is_frame(facts: Facts, node: ast.expr, seen: frozenset[ast.expr]) -> bool:
    """Whether pandas made something, or what it is a part of."""
    if node in seen:
        return True
    seen |= {node}
    value = facts.value(node)
    if isinstance(value, Foreign) and value.name is not None:
        return value.name.partition(".")[0] == "pandas"
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return bool(made) and all(_is_frame(facts, each, seen) for each in made)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return facts.name(node.func) is None and _is_frame(facts, node.func.value, seen)
    return isinstance(node, (ast.Attribute, ast.Subscript)) and _is_frame(facts, node.value, seen)
