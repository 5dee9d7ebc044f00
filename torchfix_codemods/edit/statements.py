"""Statements that move one level in."""

from __future__ import annotations

import libcst as cst


class _Shift(cst.CSTTransformer):
    """Moves what libcst would not: lines that a backslash continues. Blank lines stay empty."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def leave_SimpleWhitespace(
        self, original: cst.SimpleWhitespace, updated: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        if "\n" not in updated.value:
            return updated
        return updated.with_changes(value=updated.value.replace("\n", "\n" + self._unit))

    def leave_EmptyLine(self, original: cst.EmptyLine, updated: cst.EmptyLine) -> cst.EmptyLine:
        if updated.comment is None and not updated.whitespace.value:
            return updated.with_changes(indent=False)
        return updated


def under_with(
    context: cst.BaseExpression, block: cst.IndentedBlock, unit: str
) -> cst.IndentedBlock:
    """``block`` with all of its statements under one ``with context:``.

    Args:
        context: the context manager.
        block: the statements.
        unit: one level of indentation as the file writes it.
    """
    shifted = block.visit(_Shift(unit))
    assert isinstance(shifted, cst.IndentedBlock)
    statement = cst.With(items=[cst.WithItem(context)], body=cst.IndentedBlock(body=shifted.body))
    return block.with_changes(body=[statement])
