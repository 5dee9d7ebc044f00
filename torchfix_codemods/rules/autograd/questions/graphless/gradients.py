"""Gradients that are part of no graph themselves: none is recorded while they are made."""

from __future__ import annotations

import ast
import functools

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts

_ASKING = ("create_graph", "grad_outputs")


def is_plain_grad(node: ast.expr, facts: Facts) -> bool:
    """``p.grad``, in a file that never asks for gradients of gradients."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "grad"
        and not any(map(facts.speaks_of, _ASKING))
    )


def has_plain_grad(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``p.grad`` is that of a tensor, in a project that never asks for such gradients."""
    return (
        facts.is_tensor(node.value)
        and is_plain_grad(node, facts)
        and not any(map(facts.is_mentioned_elsewhere, _ASKING))
        and not any(map(functools.partial(_is_given, facts=facts), facts.names.attributes("grad")))
    )


def _is_given(grad: ast.Attribute, facts: Facts) -> bool:
    """``p.grad = meta_gradient``, which may have been calculated of something."""
    if isinstance(grad.ctx, ast.Load):
        return False
    statement = facts.parent(grad)
    given = statement.value if isinstance(statement, ast.Assign) else None
    return not (isinstance(given, ast.Constant) and given.value is None)


def gives_plain_grads(call: ast.Call, facts: Facts) -> bool:
    """``torch.autograd.grad(loss, weights)``, which records nothing unless it is told to."""
    if facts.name(call.func) != "torch.autograd.grad" or is_opaque(call):
        return False
    # Of a tensor by itself it is what was given for the gradient of the whole.
    if argument(call, 2, "grad_outputs") is not None:
        return False
    asked = argument(call, 4, "create_graph")
    return asked is None or constant(asked) is False
