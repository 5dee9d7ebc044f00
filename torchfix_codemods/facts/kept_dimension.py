"""``x.sum(1).expand_as(x)``, which asks for the dimension that reductions kept until torch 0.1."""

from __future__ import annotations

import ast

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts

#: Reductions along a dimension, by what stands in front of it.
_BEFORE_DIM = {
    **dict.fromkeys("sum mean prod std var max min median".split(), 0),
    "norm": 1,
}
#: Those that give the indices as well.
_OF_TWO = frozenset("max min median".split())


def expanded_reduction(facts: Facts, call: ast.Call) -> ast.Call | None:
    """The reduction that ``expand_as`` gives the shape of what was reduced.

    It took away a dimension behind the first one, so that what is left has that shape by accident
    only; until torch 0.1 it kept the dimension.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != "expand_as":
        return None
    if len(call.args) != 1 or is_opaque(call) or facts.name(function) is not None:
        return None
    reduction = _unwrapped(function.value, facts)
    name = ""
    if isinstance(reduction, ast.Subscript):
        index = reduction.slice
        if not (isinstance(index, ast.Constant) and index.value == 0):
            return None
        reduction, name = _unwrapped(reduction.value, facts), "[0]"
    if not isinstance(reduction, ast.Call) or not isinstance(reduction.func, ast.Attribute):
        return None
    is_of_two = reduction.func.attr in _OF_TWO
    if is_of_two is not (name == "[0]") or not _takes_a_later_dimension(facts, reduction):
        return None
    reduced = _unwrapped(_subject(reduction, facts), facts)
    same = ast.unparse(reduced) == ast.unparse(_unwrapped(call.args[0], facts))
    return reduction if same else None


def _subject(call: ast.Call, facts: Facts) -> ast.expr:
    """``x`` of ``x.sum(1)`` and of ``torch.sum(x, 1)``."""
    assert isinstance(call.func, ast.Attribute)
    is_function = facts.name(call.func) is not None and bool(call.args)
    return call.args[0] if is_function else call.func.value


def _takes_a_later_dimension(facts: Facts, call: ast.Call) -> bool:
    """Whether a reduction is along a dimension that is not the first, and does not keep it."""
    assert isinstance(call.func, ast.Attribute)
    before = _BEFORE_DIM.get(call.func.attr)
    name = facts.name(call.func)
    if before is None or is_opaque(call) or name not in (None, f"torch.{call.func.attr}"):
        return False
    before += name is not None
    dim = argument(call, before, "dim")
    keeps = argument(call, before + 1, "keepdim")
    if keeps is not None or not isinstance(dim, ast.Constant):
        return False
    return type(dim.value) is int and dim.value > 0


def _unwrapped(node: ast.expr, facts: Facts) -> ast.expr:
    """``x`` of ``torch.sqrt(x ** 2 + 1).data``: what has the same shape, number by number."""
    while True:
        if isinstance(node, ast.UnaryOp):
            node = node.operand
        elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            node = node.left
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method, name = node.func, facts.name(node.func)
            if method.attr not in torch_api.SAME_SHAPE or is_opaque(node):
                return node
            if name is None:
                node = method.value
            elif name == f"torch.{method.attr}" and node.args:
                node = node.args[0]
            else:
                return node
        else:
            return node
