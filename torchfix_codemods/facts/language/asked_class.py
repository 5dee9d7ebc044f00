"""Whose class an expression is: ``type(x)``, ``x.__class__``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.nodes import same_expression

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names


def asked_for_class(names: Names, node: ast.expr) -> ast.expr | None:
    """``x`` of ``type(x)`` or ``x.__class__``."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__class__" else None
    if not isinstance(node, ast.Call) or names.builtin(node.func) != "type":
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None


def is_given_size_of(made: ast.Call, tensor: ast.expr) -> bool:
    """Whether a call is given a size of ``tensor``: ``T(x.data.size())`` of ``x.data``."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "size"
        and same_expression(node.func.value, tensor)
        for argument in made.args
        for node in ast.walk(argument)
    )
