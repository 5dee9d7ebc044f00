"""Arguments of calls, found on the ``ast``."""

from __future__ import annotations

import ast


def is_opaque(call: ast.Call) -> bool:
    """Whether ``*args`` or ``**kwargs`` could carry any argument."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def argument(call: ast.Call, position: int | None, name: str) -> ast.expr | None:
    """The expression given for a parameter, by position or by keyword."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        return call.args[position]
    return None


def constant(node: ast.AST | None) -> object:
    """The value of a literal; ``...`` for everything else."""
    return node.value if isinstance(node, ast.Constant) else ...
