"""Counts and shares of matches, as they are added to a total."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.values.lattice import Tensor


def was_number(node: ast.AugAssign | ast.Assign, reduction: str, facts: Facts) -> bool:
    """Whether what is added, or gets a name, was a number of Python: until torch 0.3.

    That is so wherever the total goes.

    Both sides of the comparison were plain tensors where one of them was, or what it gave is.
    """
    if not facts.era_of(node).before((0, 4)):
        return False
    call = _below_passed_through(node.value)
    counted = _reduced(call, reduction, facts) if isinstance(call, ast.Call) else None
    return counted is not None and was_plain(facts, counted)


def adds_whole_number(node: ast.AugAssign, facts: Facts) -> bool:
    """Whether what is added is a tensor of whole numbers."""
    value = facts.value(node.value)
    return isinstance(value, Tensor) and value.dtype == "int64"


def adds(node: ast.AugAssign, reduction: str, facts: Facts) -> bool:
    """Whether the number or the share of elements is added for which a comparison holds."""
    return isinstance(node.op, ast.Add) and counts(node.value, reduction, facts)


def counts(node: ast.expr, reduction: str, facts: Facts) -> bool:
    """Whether an expression is the number, or share, of elements for which a comparison holds."""
    call = _below_passed_through(node) if isinstance(node, ast.Call) else None
    reduced = _reduced(call, reduction, facts) if isinstance(call, ast.Call) else None
    if reduced is None:
        return False
    value = facts.value(node)
    is_number = isinstance(value, Tensor) and value.ndim == 0
    return is_number and _is_comparison(reduced, facts)


def _reduced(call: ast.Call, reduction: str, facts: Facts) -> ast.expr | None:
    """``pred == y`` of ``(pred == y).sum()`` and of ``torch.sum(pred == y)``."""
    if call.keywords:
        return None
    if facts.name(call.func) == f"torch.{reduction}":
        return call.args[0] if len(call.args) == 1 else None
    if call.args or not isinstance(call.func, ast.Attribute) or call.func.attr != reduction:
        return None
    return call.func.value


def _is_comparison(node: ast.expr, facts: Facts) -> bool:
    node = _below_passed_through(node)
    value = facts.value(node)
    if not (isinstance(value, Tensor) and value.dtype == "bool"):
        return False
    if isinstance(node, ast.Compare):
        return True
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute):
        return isinstance(node, ast.Name)
    # ``(pred == y).masked_select(y != 0)``: those that are asked about.
    is_part = torch_effects.does(method.attr, "selects") and _is_comparison(method.value, facts)
    return is_part or torch_effects.compares(method.attr)


def _below_passed_through(node: ast.expr) -> ast.expr:
    while True:
        inner = node.func if isinstance(node, ast.Call) and not node.args else node
        if not isinstance(inner, ast.Attribute) or not _keeps_count(inner.attr):
            return node
        node = inner.value


def _keeps_count(name: str) -> bool:
    """Whether a count stays what it is: a mask too, which ``.long()`` makes a number."""
    return torch_effects.does(name, "keeps") or name in ("float", "double", "long", "int")
