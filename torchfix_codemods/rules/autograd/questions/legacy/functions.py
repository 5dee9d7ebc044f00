"""Functions of autograd with instance methods, and the methods of these."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.torch_api import FUNCTION_BASES


def is_legacy(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a class is a function whose ``forward`` is a method of its objects."""
    if len(node.bases) != 1 or facts.name(node.bases[0]) not in FUNCTION_BASES:
        return False
    forward = methods_of(node).get("forward")
    return forward is not None and not _is_static(forward, facts)


def is_of_context(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is the ``ctx`` of a static method of a function."""
    method = facts.names.enclosing_function(node)
    owner = None if method is None else facts.parent(method)
    if not isinstance(method, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return False
    if not _is_static(method, facts) or not isinstance(node, ast.Name):
        return False
    is_function = any(facts.name(base) in FUNCTION_BASES for base in owner.bases)
    return is_function and node.id == _first_parameter(method)


def context_name(node: ast.ClassDef) -> str:
    """What ``forward`` calls the object that it is a method of."""
    return _first_parameter(methods_of(node)["forward"]) or "self"


def methods_of(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The methods of a class, by name."""
    return {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}


def _first_parameter(method: ast.FunctionDef) -> str | None:
    return method.args.args[0].arg if method.args.args else None


def _is_static(method: ast.FunctionDef, facts: Facts) -> bool:
    return any(facts.segment(d) in ("staticmethod", "classmethod") for d in method.decorator_list)


def is_super(node: ast.expr, facts: Facts) -> bool:
    """``super(F, self)`` and ``super()``."""
    return isinstance(node, ast.Call) and facts.names.builtin(node.func) == "super"


def is_super_call(statement: ast.stmt) -> bool:
    """``super(F, self).__init__()``, ``super().__init__()``, ``Function.__init__(self)``."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "__init__"
    )
