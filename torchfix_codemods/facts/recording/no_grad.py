"""Which code runs without gradients: under ``no_grad`` and the like."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.torch_api import ALL_FUNCTION_BASES

_NO_GRAD = frozenset({"torch.no_grad", "torch.inference_mode"})


#: The words one of which is in a file where :func:`is_under_no_grad` finds something.
NO_GRAD_CONTEXTS = ("no_grad", "inference_mode", "set_grad_enabled")


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

#: What a project says that may record a graph of what ``backward`` calculates.
_ASKING = ("create_graph", "gradgradcheck", "hessian", "hvp", "vhp", "torch.func")


def is_under_no_grad(node: ast.AST, facts: Facts) -> bool:
    """Whether ``node`` runs in a ``with torch.no_grad():`` or a function decorated so."""
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.With, ast.AsyncWith)) and child in parent.body:
            for item in reversed(parent.items):
                mode = _grad_mode(item.context_expr, facts)
                if mode is not None:
                    return not mode
        if isinstance(parent, _FUNCTIONS) and child in parent.body:
            return _is_decorated_no_grad(parent, facts)
        child = parent
    return False


def is_in_backward(node: ast.AST, facts: Facts) -> bool:
    """Whether ``node`` runs in the ``backward`` of a function of autograd, which is static.

    Torch runs that without gradients, unless somebody asks for gradients of gradients.
    """
    function = facts.names.enclosing_function(node)
    if not isinstance(function, ast.FunctionDef) or function.name != "backward":
        return False
    owner = facts.parent(function)
    return (
        isinstance(owner, ast.ClassDef)
        and any(facts.name(base) in ALL_FUNCTION_BASES for base in owner.bases)
        and facts.classes.is_static(function)
        and not facts.speaks_of("enable_grad")
        and not any(map(facts.is_mentioned, _ASKING))
    )


def no_grad_blocks(facts: Facts) -> list[ast.AST]:
    """The statements and functions inside of which :func:`is_under_no_grad` may find something."""
    if not any(map(facts.speaks_of, NO_GRAD_CONTEXTS)):
        return []
    nodes = facts.names.nodes
    blocks = (n for cls in (ast.With, ast.AsyncWith) for n in nodes.get(cls, ()))
    functions = (n for cls in _FUNCTIONS for n in nodes.get(cls, ()))
    return [
        *(
            node
            for node in blocks
            if isinstance(node, (ast.With, ast.AsyncWith))
            and any(_grad_mode(item.context_expr, facts) is False for item in node.items)
        ),
        *(
            node
            for node in functions
            if isinstance(node, _FUNCTIONS) and _is_decorated_no_grad(node, facts)
        ),
    ]


def _is_decorated_no_grad(function: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts) -> bool:
    return any(
        facts.name(d.func if isinstance(d, ast.Call) else d) in _NO_GRAD
        for d in function.decorator_list
    )


def _grad_mode(context: ast.expr, facts: Facts) -> bool | None:
    """Whether a context switches gradients on or off (``set_grad_enabled(flag)``); else None.

    ``with torch.no_grad:``, which fails, is meant to be called, and counts as if it were.
    """
    name = facts.name(context.func if isinstance(context, ast.Call) else context)
    if name in _NO_GRAD:
        return False
    if name == "torch.enable_grad":
        return True
    if name == "torch.set_grad_enabled" and isinstance(context, ast.Call):
        flag = context.args[0] if context.args else None
        return isinstance(flag, ast.Constant) and bool(flag.value)
    return None
