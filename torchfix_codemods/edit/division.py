"""Divisions that give whole numbers."""

from __future__ import annotations

from torchfix_codemods.edit import cst


def floored(division: cst.BinaryOperation) -> cst.BinaryOperation:
    """``a // b`` for ``a / b``."""
    if not isinstance(division.operator, cst.Divide):
        return division
    floor = cst.FloorDivide(
        whitespace_before=division.operator.whitespace_before,
        whitespace_after=division.operator.whitespace_after,
    )
    return division.with_changes(operator=floor)
