"""Where .data is written to: another size, a part of it, a gradient."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import without_items
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor


def reshaping(node: ast.Attribute, facts: Facts) -> str | None:
    """``resize_`` of the statement ``x.data.resize_(n).copy_(y)``."""
    method, call = facts.parent(node), facts.parent(facts.parent(node) or node)
    if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call)):
        return None
    # Another size, or another order of dimensions.
    reshapes = torch_effects.reshapes_in_place(method.attr) and method.attr != "set_"
    if call.func is not method or not reshapes:
        return None
    holder: ast.AST | None = call
    while isinstance(holder, (ast.Call, ast.Attribute)):
        below, holder = holder, facts.parent(holder)
        if isinstance(holder, ast.Call) and holder.func is not below:
            return None
    holder = facts.parent(holder) if isinstance(holder, ast.Tuple) else holder
    return method.attr if isinstance(holder, ast.Expr) else None


def is_stored_to(node: ast.Attribute, statement: ast.stmt) -> bool:
    """``x.data = x.data * p``, ``x.data[i] = x.data[j]``, where ``.data`` stays to the left.

    Without it to the right the line would be half of one kind, half of the other.
    """
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    read = ast.unparse(node)
    return any(ast.unparse(without_items(target)) == read for target in targets)


def cannot_get_history(statement: ast.Expr, facts: Facts) -> bool:
    """``p.grad.data.zero_()``, ``p.grad.data.clamp_(-1, 1)``: numbers bring no graph with them."""
    call = statement.value
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    if not isinstance(call.func.value, ast.Attribute):
        return False
    if call.func.attr in ("zero_", "clamp_", "clamp_min_", "clamp_max_", "fill_"):
        return True
    arguments = values_given(call)
    return all(
        isinstance(value, Number) or (isinstance(value, Tensor) and value.grad is False)
        for value in map(facts.value, arguments)
    )
