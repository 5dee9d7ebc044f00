"""Where .data is written to: another size, a part of it, a gradient."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import without_items
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor
from torchfix_codemods.text.wording import LONGEST


def reshaping(node: ast.Attribute, facts: Facts) -> str | None:
    """``resize_`` of the statement ``x.data.resize_(n).copy_(y)``."""
    method, call = facts.parent(node), facts.parent(facts.parent(node) or node)
    if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call)):
        return None
    # Another size, or another order of dimensions.
    reshapes = torch_effects.reshapes_in_place(method.attr) and method.attr != "set_"
    if call.func is not method or not reshapes:
        return None
    whole = _chain(call, facts)
    holder = facts.parent(whole)
    holder = facts.parent(holder) if isinstance(holder, ast.Tuple) else holder
    return method.attr if isinstance(holder, ast.Expr) else None


def reshaped_whole(node: ast.Attribute, facts: Facts) -> str:
    """``x.data.resize_(n).copy_(y)`` of its ``x.data``, without arguments where that is long.

    Args:
        node: a ``.data`` that is given another shape.
        facts: the module.
    """
    whole = _chain(node, facts)
    text = ast.unparse(whole)
    if len(text) <= LONGEST:
        return text
    methods: list[str] = []
    while whole is not node:
        if isinstance(whole, ast.Call):
            whole = whole.func
        elif isinstance(whole, ast.Attribute):
            methods.insert(0, f".{whole.attr}(…)")
            whole = whole.value
    return ast.unparse(node) + "".join(methods)


def _chain(node: ast.expr, facts: Facts) -> ast.expr:
    """All that is called on what an expression gives: ``x.t_().mul_(2)`` of ``x.t_()``."""
    while True:
        above = facts.parent(node)
        if isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and above.func is node):
            node = above
        else:
            return node


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
