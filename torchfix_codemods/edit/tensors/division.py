"""Divisions that give whole numbers."""

from __future__ import annotations

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument
from torchfix_codemods.edit.parentheses import as_operand


def floored(division: cst.BinaryOperation) -> cst.BinaryOperation:
    """``a // b`` for ``a / b``."""
    if not isinstance(division.operator, cst.Divide):
        return division
    floor = cst.FloorDivide(
        whitespace_before=division.operator.whitespace_before,
        whitespace_after=division.operator.whitespace_after,
    )
    return division.with_changes(operator=floor)


def cutting() -> cst.Arg:
    """``rounding_mode="trunc"``."""
    return keyword_argument("rounding_mode", cst.SimpleString('"trunc"'))


def cut_quotient(function: str, left: cst.BaseExpression, right: cst.BaseExpression) -> cst.Call:
    """``torch.div(a, b, rounding_mode="trunc")`` for the operands of ``a / b``."""
    arguments = [
        cst.Arg(_bare(left), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))),
        cst.Arg(_bare(right), comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))),
        cutting(),
    ]
    return cst.Call(cst.parse_expression(function), arguments)


def cut_in_place(division: cst.AugAssign) -> cst.Expr:
    """``a.div_(b, rounding_mode="trunc")`` for ``a /= b``."""
    method = cst.Attribute(value=as_operand(division.target), attr=cst.Name("div_"))
    call = cst.Call(method, [cst.Arg(_bare(division.value)), cutting()])
    return cst.Expr(call, semicolon=division.semicolon)


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """An operand as an argument, where it needs no parentheses of its own."""
    return node.with_changes(lpar=[], rpar=[])
