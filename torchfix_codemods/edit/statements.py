"""Statements that move, one level in or to the front of others, and branches that go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below, nodes_below
from torchfix_codemods.edit.tidying.stale_comments import closes_block

Line: TypeAlias = "cst.SimpleStatementLine | cst.If"


def under_with(
    context: cst.BaseExpression, block: cst.IndentedBlock, unit: str
) -> cst.IndentedBlock:
    """``block`` with all of its statements under one ``with context:``.

    Args:
        context: the context manager.
        block: the statements.
        unit: one level of indentation as the file writes it.
    """
    shifted = _shifted(block, unit)
    statement = cst.With(items=[cst.WithItem(context)], body=cst.IndentedBlock(body=shifted.body))
    return block.with_changes(body=[statement])


def without_with(block: cst.IndentedBlock, around: cst.With, unit: str) -> cst.IndentedBlock:
    """``block`` with the statements under one of its ``with`` in its place.

    Args:
        block: the statements.
        around: the one that goes.
        unit: one level of indentation as the file writes it.
    """
    held = around.body
    if not isinstance(held, cst.IndentedBlock):
        return block
    held = _shifted_back(held, unit)
    first = _below_lines(around.leading_lines, held.body[0])
    at = block.body.index(around)
    below = list(block.body[at + 1 :])
    footer = [*block.footer]
    if below:
        below[0] = _below_lines(held.footer, below[0])
    else:
        footer = [*held.footer, *footer]
    body = [*block.body[:at], first, *held.body[1:], *below]
    return block.with_changes(body=body, footer=footer)


def _below_lines(lines: Sequence[cst.EmptyLine], first: cst.BaseStatement) -> cst.BaseStatement:
    own: Sequence[cst.EmptyLine] = getattr(first, "leading_lines", ())
    return first.with_changes(leading_lines=[*lines, *own])


def _shifted(block: cst.IndentedBlock, unit: str) -> cst.IndentedBlock:
    """Move one level in what libcst would not. Blank lines stay empty."""
    own = block.indent or ""

    def comment(space: str) -> str:
        return unit + space if space and space.startswith(own) else space

    def blank(original: cst.EmptyLine, updated: cst.EmptyLine) -> cst.EmptyLine:
        is_empty = updated.comment is None and not updated.whitespace.value
        return updated.with_changes(indent=False) if is_empty else updated

    moved = _with_margins(block, lambda text: text.replace("\n", "\n" + unit), comment)
    return changed_below(moved, cst.EmptyLine, blank)


def _shifted_back(block: cst.IndentedBlock, unit: str) -> cst.IndentedBlock:
    """Move it one level out."""
    return _with_margins(
        block,
        lambda text: text.replace("\n" + unit, "\n"),
        lambda space: space.removeprefix(unit),
    )


def _with_margins(
    block: cst.IndentedBlock, continued: Callable[[str], str], comment: Callable[[str], str]
) -> cst.IndentedBlock:
    """Move what libcst would not: lines that a backslash continues, and comments that stand less
    deep than what is above them."""

    def of_space(
        original: cst.SimpleWhitespace, updated: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        is_continued = "\n" in updated.value
        return updated.with_changes(value=continued(updated.value)) if is_continued else updated

    def of_line(original: cst.EmptyLine, updated: cst.EmptyLine) -> cst.EmptyLine:
        if updated.comment is None or updated.indent:
            return updated
        space = comment(updated.whitespace.value)
        return updated.with_changes(whitespace=cst.SimpleWhitespace(space))

    if any("\n" in space.value for space in nodes_below(block, cst.SimpleWhitespace)):
        block = changed_below(block, cst.SimpleWhitespace, of_space)
    if any(line.comment and not line.indent for line in nodes_below(block, cst.EmptyLine)):
        block = changed_below(block, cst.EmptyLine, of_line)
    return block


def with_lines_exchanged(moved: Line, first: Line) -> tuple[Line, Line]:
    """``moved`` as it stands in the place of ``first``, and ``first`` behind it.

    Blank lines stay where they are, comments go with their statements.
    """
    above_moved, own_moved = _lines_above(moved)
    above_first, own_first = _lines_above(first)
    return (
        moved.with_changes(leading_lines=[*above_first, *own_moved]),
        first.with_changes(leading_lines=[*above_moved, *own_first]),
    )


def _lines_above(statement: Line) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """The blank lines above a statement, and its comments."""
    lines = statement.leading_lines
    blank = [line for line in lines if line.comment is None]
    return blank, [line for line in lines if line.comment is not None]


def without_test(choice: cst.If) -> list[cst.BaseStatement]:
    """What stands in the first half of a choice, in its place: it is no choice any more."""
    if isinstance(choice.body, cst.SimpleStatementSuite):
        space = choice.body.trailing_whitespace
        return [cst.SimpleStatementLine(choice.body.body, choice.leading_lines, space)]
    lines = [line for line in choice.body.body if isinstance(line, cst.BaseStatement)]
    return with_lines_above(lines, choice.leading_lines)


def with_lines_above(
    lines: Sequence[cst.BaseStatement], above: Sequence[cst.EmptyLine]
) -> list[cst.BaseStatement]:
    """Statements with the lines that stood above their guard."""
    if lines and isinstance(lines[0], (cst.SimpleStatementLine, cst.If, cst.For)):
        first = lines[0].with_changes(leading_lines=[*above, *lines[0].leading_lines])
        return [first, *lines[1:]]
    return list(lines)


def without_branch(
    chain: cst.If, depth: int | None, is_taken: bool = False
) -> cst.If | cst.RemovalSentinel | cst.FlattenSentinel[cst.BaseStatement]:
    """A chain of branches without the one below the branch that has ``depth`` others above.

    Args:
        chain: the ``if``.
        depth: None for a branch that is alone, and goes.
        is_taken: whether what stands in that is always done, and stays without the test.
    """
    if depth is not None:
        return _without_below(chain, depth)
    return cst.FlattenSentinel(without_test(chain)) if is_taken else cst.RemoveFromParent()


def _without_below(chain: cst.If, depth: int) -> cst.If:
    below = chain.orelse
    if not isinstance(below, cst.If):
        return chain
    kept = below.orelse if depth == 0 else _without_below(below, depth - 1)
    return chain.with_changes(orelse=kept)


def split_closing(
    lines: Sequence[cst.EmptyLine],
) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """The ``# end`` right below a block, which goes where the block goes, and the other lines."""
    first = lines[0].comment if lines else None
    count = int(first is not None and closes_block(first.value))
    return [*lines[:count]], [*lines[count:]]
