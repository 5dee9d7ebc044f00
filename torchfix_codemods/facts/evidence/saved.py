"""What a function of autograd saves for its backward is a tensor, or None."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.values.torch_api import FUNCTION_BASES


def is_saved_for_backward(names: Names, node: ast.expr) -> bool:
    """``x`` of ``ctx.save_for_backward(x)`` in a method of a ``torch.autograd.Function``.

    Torch raises for anything but tensors and None.
    """
    call = names.parents.get(node)
    if not (isinstance(call, ast.Call) and node in call.args):
        return False
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "save_for_backward":
        return False
    method = names.enclosing_function(call)
    owner = None if method is None else names.parents.get(method)
    if not isinstance(method, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return False
    first = method.args.args[0].arg if method.args.args else None
    is_own = isinstance(call.func.value, ast.Name) and call.func.value.id == first
    return is_own and is_function(names, owner)


def is_function(names: Names, definition: ast.ClassDef) -> bool:
    """Whether a class is a ``torch.autograd.Function``, by a base of its own."""
    return any(names.name(base) in FUNCTION_BASES for base in definition.bases)
