"""Masks written as masks of bool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand, calling
from torchfix_codemods.edit.tensors.sums import with_operator


def as_bool(node: cst.BaseExpression, data: Mapping[str, Any]) -> cst.BaseExpression:
    """A mask of uint8, or what is calculated with masks, as one of bool.

    Args:
        node: the expression.
        data: what a finding decided: ``change`` is "append", "to bytes", "dtype", "rename",
            "leave out", "sum", "invert" or "subtract". A "sum" gets ``sign``, & or ^, and without
            ``keeps`` its own parentheses go, as those of what is left do; to "invert", ``operand``
            says how the mask below is taken: "as is", "without byte", "byte as bool" or "cast".
    """
    if data["change"] == "append":
        return calling(node, "bool")
    if data["change"] == "to bytes":
        return calling(node, "byte")
    if data["change"] == "dtype":
        assert isinstance(node, cst.Attribute)
        return node.with_changes(attr=cst.Name("bool"))
    if data["change"] == "sum":
        return _combined(node, data["sign"], data["keeps"])
    if data["change"] == "leave out":
        made = _receiver(node)
        return made if data["keeps"] or len(made.lpar) != 1 else made.with_changes(lpar=(), rpar=())
    if data["change"] == "rename":
        return _with_method(node, "bool")
    operand = _operand(node)
    if operand is None:
        return node
    if data["change"] == "subtract":
        return _less(operand)
    if data["operand"] == "without byte":
        operand = _of_byte(operand, _receiver)
    elif data["operand"] == "byte as bool":
        operand = _of_byte(operand, lambda byte: _with_method(byte, "bool"))
    elif data["operand"] == "cast":
        operand = calling(operand, "bool")
    return cst.UnaryOperation(cst.BitInvert(), as_operand(operand))


def _less(operand: cst.BaseExpression) -> cst.BinaryOperation:
    """``1 - mask`` for ``~mask``."""
    return cst.BinaryOperation(cst.Integer("1"), cst.Subtract(), operand)


def _combined(node: cst.BaseExpression, sign: str, keeps: bool) -> cst.BaseExpression:
    """``a & b`` for ``(a + b) == 2`` or ``(a + b).eq(2)``."""
    total = node.left if isinstance(node, cst.Comparison) else _receiver(node)
    if not isinstance(total, cst.BinaryOperation):
        return node
    new = with_operator(total, cst.BitAnd if sign == "&" else cst.BitXor)
    if keeps and not node.lpar:
        return new
    return new.with_changes(lpar=node.lpar, rpar=node.rpar)


def _operand(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if isinstance(node, cst.UnaryOperation):
        return node.expression
    if isinstance(node, cst.BinaryOperation):
        return node.right if isinstance(node.operator, cst.Subtract) else node.left
    return None


def _receiver(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.value
    return node


def _of_byte(
    node: cst.BaseExpression, change: Callable[[cst.BaseExpression], cst.BaseExpression]
) -> cst.BaseExpression:
    """An expression with another mask in the place of ``x.byte()``: ``x.byte().unsqueeze(1)``."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value == "byte":
            return change(node)
        return node.with_changes(func=_of_byte(node.func, change))
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return node.with_changes(value=_of_byte(node.value, change))
    return node


def _with_method(node: cst.BaseExpression, method: str) -> cst.BaseExpression:
    if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)):
        return node
    return node.with_changes(func=node.func.with_changes(attr=cst.Name(method)))
