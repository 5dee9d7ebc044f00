"""Places for masks."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.rules.masks.questions.masks import is_joined_bytes
from torchfix_codemods.rules.tensors.questions.attention import attention_masks

Want = Literal["masked", "stored", "read"]
"""Where a mask is wanted, and what today's torch does with one of uint8 there.

"masked": ``x.masked_fill(mask, 0)`` and the like fail; before 1.2 they took zeros and ones only.
"stored": ``x[mask] = 0`` fails. "read": ``x[mask]``, ``torch.where(mask, x, y)`` only warn.
"""

MASKED = torch_table.methods_taking("mask")


def place_of(facts: Facts, node: ast.expr) -> Want | None:
    """The kind of place that ``node`` stands at, where that is certainly one for a mask."""
    parent = facts.parent(node)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, ast.Call):
        return _place_in_call(facts, parent, node)
    if isinstance(parent, ast.Tuple) and isinstance(facts.parent(parent), ast.Subscript):
        node, parent = parent, facts.parent(parent)
    if not (isinstance(parent, ast.Subscript) and parent.slice is node):
        return None
    is_tensor = facts.is_shown_tensor(parent.value) or _fills_tensor_by_mask(facts, parent, node)
    if not is_tensor and not _copies_by_mask(facts, node):
        return None
    return "stored" if _stores_number(facts, parent) else "read"


def _place_in_call(facts: Facts, call: ast.Call, node: ast.expr) -> Want | None:
    if is_opaque(call):
        return None
    if node in attention_masks(facts, call):
        return "masked"
    name = facts.name(call.func)
    if name is not None:
        module, _, function = name.rpartition(".")
        if module != "torch":
            return None
        if function in MASKED and argument(call, 1, "mask") is node:
            return "masked"
        wants = function == "where" and len(call.args) == 3 and call.args[0] is node
        return "read" if wants else None
    method = call.func
    if not isinstance(method, ast.Attribute) or not facts.is_shown_tensor(method.value):
        return None
    if method.attr in MASKED and argument(call, 0, "mask") is node:
        return "masked"
    wants = method.attr == "where" and len(call.args) == 2 and call.args[0] is node
    return "read" if wants else None


def _stores_number(facts: Facts, item: ast.Subscript) -> bool:
    """``x[mask] = 0``: one number for all, which today's torch fills in by ``masked_fill_``."""
    statement = facts.parent(item)
    if not (isinstance(statement, ast.Assign) and isinstance(item.ctx, ast.Store)):
        return False
    value = facts.value(statement.value)
    return isinstance(value, Number) or (isinstance(value, Tensor) and value.single)


def _fills_tensor_by_mask(facts: Facts, item: ast.Subscript, index: ast.expr) -> bool:
    """Whether ``y[index]`` is what ``x[index] += 2 * y[index]`` adds to a tensor x.

    Of an array the positions would be as many as bytes, and not as many as ones.
    """
    statement = facts.statement(item)
    if not isinstance(index, ast.Name) or not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    filled = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    return (
        isinstance(filled, ast.Subscript)
        and isinstance(filled.slice, ast.Name)
        and filled.slice.id == index.id
        and filled is not item
        and isinstance(facts.value(item.value), Unknown)
        and facts.is_shown_tensor(filled.value)
    )


def _copies_by_mask(facts: Facts, index: ast.expr) -> bool:
    """Whether ``x[index] = y[index]`` copies by a mask, whatever ``x`` and ``y`` are.

    For an array of numpy bytes are positions, which nobody joins by ``&``.
    """
    statement = facts.parent(facts.parent(index) or index)
    if not (isinstance(index, ast.Name) and isinstance(statement, ast.Assign)):
        return False
    items = [*statement.targets, statement.value]
    made = facts.assigned(index) or []
    return (
        len(items) == 2
        and all(
            isinstance(item, ast.Subscript)
            and isinstance(item.slice, ast.Name)
            and item.slice.id == index.id
            and isinstance(facts.value(item.value), (Tensor, Unknown))
            for item in items
        )
        and bool(made)
        and all(is_joined_bytes(facts, each) for each in made)
    )
