"""Gradients that are part of no graph themselves: none is recorded while they are made."""

from __future__ import annotations

import ast
import functools

from torchfix_codemods.facts.evidence.changes import may_get_history
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


def holds_plain_grad(node: ast.expr, facts: Facts) -> bool:
    """Whether a name of a tensor is given ``p.grad`` alone, in a project that asks for no other."""
    given = facts.assigned(node) if isinstance(node, ast.Name) else None
    return (
        bool(given)
        and all(is_plain_grad(each, facts) for each in given or ())
        and _records_no_grad(facts)
        and isinstance(node, ast.Name)
        and not may_get_history(facts.inference, node)
    )


def has_plain_grad(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``p.grad`` is that of a tensor, in a project that never asks for such gradients."""
    is_plain = facts.is_tensor(node.value) and is_plain_grad(node, facts)
    return is_plain and _records_no_grad(facts)


def _records_no_grad(facts: Facts) -> bool:
    """Whether no gradient is asked for with a graph elsewhere, and none is given here."""
    asked = any(map(facts.is_mentioned_elsewhere, _ASKING))
    stored = map(functools.partial(_is_given, facts=facts), facts.names.attributes("grad"))
    return not asked and not any(stored)


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
