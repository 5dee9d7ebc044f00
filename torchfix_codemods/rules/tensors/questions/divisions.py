"""What is divided, and whether it may be divided in whole numbers."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import is_cut
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.values.lattice import Tensor


def operands_of(call: ast.Call, facts: Facts) -> tuple[str, ast.expr, ast.expr] | None:
    """Function, dividend and divisor of a division that is written as a call."""
    if is_opaque(call) or call.keywords:
        return None
    name = facts.name(call.func)
    if name in ("torch.div", "torch.floor_divide") and len(call.args) == 2:
        return name.rpartition(".")[2], call.args[0], call.args[1]
    method = call.func
    if name is None and isinstance(method, ast.Attribute) and len(call.args) == 1:
        if method.attr in ("div", "div_", "floor_divide"):
            return method.attr, method.value, call.args[0]
    return None


def may_be_whole(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor may hold whole numbers."""
    value = facts.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    return dtype is None or not dtype.startswith("float")


def has_dimensions(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is certainly no single number, of which a fraction is wanted."""
    value = facts.value(node)
    return isinstance(value, Tensor) and value.ndim is not None and value.ndim > 0


def is_of_elements(node: ast.expr, facts: Facts) -> bool:
    """``(width - size[0])``: all tensors in it are elements, which may be single numbers."""
    if isinstance(node, ast.UnaryOp):
        return is_of_elements(node.operand, facts)
    if isinstance(node, ast.BinOp):
        tensors = [part for part in (node.left, node.right) if facts.is_tensor(part)]
        return bool(tensors) and all(is_of_elements(part, facts) for part in tensors)
    is_element = isinstance(node, ast.Subscript) and not is_cut(node.slice)
    return is_element and not has_dimensions(node, facts)


def may_become_number(node: ast.expr, facts: Facts) -> bool:
    """Whether another rule may make a Python number of ``node``, which ``torch.div`` refuses."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim == 0:
        return True
    core = core_of(node)
    return isinstance(core, ast.Subscript) and indexed_scalar(facts, core) is not None
