"""Attributes of an object that are asked as others are which hold one number."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.tensors.wrappers import unwrapped


def stands_beside_number(facts: Facts, node: ast.Subscript, core: ast.expr) -> bool:
    """Whether the same function asks another attribute of the object for its one number.

    Args:
        facts: the facts of the module.
        node: ``self.loss.data[0]``.
        core: ``self.loss`` of it.
    """
    function = facts.names.enclosing_function(node)
    if function is None or not isinstance(core, ast.Attribute):
        return False
    return any(
        other is not node and _asks_for_number(other, core, facts)
        for kind in (ast.Subscript, ast.Call)
        for other in facts.names.inside(function, kind)
    )


def _asks_for_number(other: ast.AST, core: ast.Attribute, facts: Facts) -> bool:
    """``self.other.data[0]`` of one number, or ``self.other.item()``."""
    if isinstance(other, ast.Subscript):
        tensor, around = unwrapped(other.value)
        is_asked = "data" in around and indexed_scalar(facts, other) == "number"
    elif isinstance(other, ast.Call) and isinstance(other.func, ast.Attribute):
        tensor, is_asked = other.func.value, other.func.attr == "item"
    else:
        return False
    is_beside = isinstance(tensor, ast.Attribute) and same_expression(tensor.value, core.value)
    return is_beside and is_asked
