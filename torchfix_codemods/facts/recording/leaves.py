"""Leaves of the graph: tensors that are made so that gradients arrive at them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts


def asks_for_grad(facts: Facts, call: ast.Call) -> bool:
    """``torch.ones(2, requires_grad=True)``, ``x.requires_grad_()``."""
    if any(
        keyword.arg == "requires_grad"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in call.keywords
    ):
        return (facts.name(call.func) or "").startswith("torch.")
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "requires_grad_"
        and not (call.args or call.keywords)
    )


def is_leaf(node: ast.expr, facts: Facts) -> bool:
    """Whether whatever a name was given asks for gradients."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return bool(made) and all(
        isinstance(value, ast.Call) and asks_for_grad(facts, value) for value in made or ()
    )
