"""Statements that move one level in."""

from __future__ import annotations

import libcst as cst


class _ShiftBackslashes(cst.CSTTransformer):
    """Moves the lines that a backslash continues; libcst takes their indentation for spaces."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def leave_SimpleWhitespace(
        self, original: cst.SimpleWhitespace, updated: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        if "\n" not in updated.value:
            return updated
        return updated.with_changes(value=updated.value.replace("\n", "\n" + self._unit))


def under_with(
    context: cst.BaseExpression, block: cst.IndentedBlock, unit: str
) -> cst.IndentedBlock:
    """``block`` with all of its statements under one ``with context:``.

    Args:
        context: the context manager.
        block: the statements.
        unit: one level of indentation as the file writes it.
    """
    shifted = block.visit(_ShiftBackslashes(unit))
    assert isinstance(shifted, cst.IndentedBlock)
    statement = cst.With(items=[cst.WithItem(context)], body=cst.IndentedBlock(body=shifted.body))
    return block.with_changes(body=[statement])
