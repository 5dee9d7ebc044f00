"""Ranges that end before their end."""

from __future__ import annotations

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_arguments
from torchfix_codemods.edit.parentheses import as_operand


def arange(call: cst.Call, function: str, dtype: str | None) -> cst.Call:
    """``torch.arange(a, n + 1)`` for ``torch.range(a, n)``, with a dtype where one is given."""
    end = call.args[1].with_changes(value=_one_more(call.args[1].value))
    args = [call.args[0], end, *call.args[2:]]
    if dtype is not None:
        args.append(keyword_argument("dtype", cst.parse_expression(dtype)))
    return with_arguments(call, args).with_changes(func=cst.parse_expression(function))


def _one_more(node: cst.BaseExpression) -> cst.BaseExpression:
    """``n`` for ``n - 1``, ``6`` for ``5``, ``-1`` for ``-2``, else ``n + 1``."""
    one = cst.Integer("1")
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        if isinstance(node.expression, cst.Integer) and node.expression.evaluated_value > 0:
            return cst.parse_expression(str(1 - node.expression.evaluated_value))
    if isinstance(node, cst.Integer):
        return cst.Integer(str(node.evaluated_value + 1))
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract):
        if isinstance(node.right, cst.Integer) and node.right.value == "1" and not node.lpar:
            return node.left
    whole = node if isinstance(node, cst.BinaryOperation) else as_operand(node)
    if isinstance(whole, cst.BinaryOperation) and not isinstance(
        whole.operator, (cst.Add, cst.Subtract, cst.Multiply)
    ):
        whole = as_operand(whole)
    return cst.BinaryOperation(whole, cst.Add(), one)
