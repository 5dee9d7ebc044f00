"""Sums written with another operator."""

from __future__ import annotations

from torchfix_codemods.edit import cst


def with_operator(
    total: cst.BinaryOperation, operator: type[cst.BitAnd] | type[cst.BitXor]
) -> cst.BinaryOperation:
    """``a & b & c`` for ``a + b + c``, with the spaces that stood there."""
    if not isinstance(total.operator, cst.Add):
        return total
    old, left = total.operator, total.left
    new = operator(whitespace_before=old.whitespace_before, whitespace_after=old.whitespace_after)
    if isinstance(left, cst.BinaryOperation):
        left = with_operator(left, operator)
    return total.with_changes(left=left, operator=new)
