"""What ``backward()`` is called on without a gradient holds one element, and so do its terms."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import torch_effects

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def is_backward_root(names: Names, node: ast.expr) -> bool:
    """``x.backward()`` without a gradient: x holds one element."""
    parent = names.parents.get(node)
    if not (isinstance(parent, ast.Attribute) and parent.attr == "backward"):
        return False
    call = names.parents.get(parent)
    return (
        isinstance(call, ast.Call)
        and call.func is parent
        and not call.args
        and all(
            k.arg in ("retain_graph", "retain_variables", "create_graph") for k in call.keywords
        )
    )


def is_part_of_root(inference: Inference, node: ast.expr) -> bool:
    """``reconstruction`` of ``loss = reconstruction + 0.1 * kl``, with ``loss.backward()`` below.

    Whatever of it is a tensor holds one element.
    """
    names = inference.names
    whole = _calculated(names, node)
    if is_backward_root(names, whole):
        return True
    statement = names.parents.get(whole)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return False
    scope = names.scope_of(statement)
    own = tuple(b for b in scope.bindings.get(target.id, ()) if b.node is statement)
    # Where one pass trains and another one does not, both calculate it by this statement.
    return any(
        is_backward_root(names, use)
        for use in inference.flow.uses_reached_by(own, scope, target.id)
    )


def _calculated(names: Names, node: ast.expr) -> ast.expr:
    """The calculation, element by element, that an expression goes into.

    Where that has one element, so has the expression.
    """
    while True:
        parent = names.parents.get(node)
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ELEMENTWISE):
            node = parent
        elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, (ast.USub, ast.UAdd)):
            node = parent
        elif isinstance(parent, ast.Attribute) and _keeps_elements(parent.attr):
            call = names.parents.get(parent)
            if not (isinstance(call, ast.Call) and call.func is parent):
                return node
            node = call
        else:
            return node


def _keeps_elements(method: str) -> bool:
    """Whether a method calculates element by element, so that its result has no fewer of them."""
    return torch_effects.is_elementwise(method) and torch_effects.is_recorded(method)
