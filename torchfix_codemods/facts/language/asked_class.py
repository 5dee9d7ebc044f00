"""Whose class an expression is: ``type(x)``, ``x.__class__``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names


def asked_for_class(names: Names, node: ast.expr) -> ast.expr | None:
    """``x`` of ``type(x)`` or ``x.__class__``."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__class__" else None
    if not isinstance(node, ast.Call) or names.builtin(node.func) != "type":
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None
