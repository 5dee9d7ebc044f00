"""Blocks under ``no_grad`` that stand right below one another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found


class AdjacentBlocks(Tidying):
    """Joins ``with torch.no_grad():`` blocks where a rewrite put one right below another.

    Empty lines and comments may stand between two that were both written, and functions of
    ``nn.init``, which work under ``no_grad`` anyway.
    """

    name = "adjacent-blocks"

    def find_With(self, node: ast.With, facts: Facts) -> Iterator[Found]:
        if not _is_no_grad(node, facts):
            return
        block = facts.block(node)
        at = block.index(node)
        if any(node in _run_from(above, block, facts) for above in block[:at]):
            return
        run = _run_from(node, block, facts)
        if len(run) > 1:
            yield self.found(node, "is continued by the block below", region=run)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        first, last = updated.body[0], updated.body[-1]
        if not isinstance(first, cst.With) or not isinstance(last, cst.With):
            return updated
        joined = list(_inside(first))
        for statement in updated.body[1:]:
            begin, *others = _inside(statement)
            above = () if begin is statement else _lines_above(statement)
            joined += [_moved_in(begin, above), *others]
        if not isinstance(last.body, cst.IndentedBlock):
            return updated
        body = last.body.with_changes(body=joined)
        return updated.with_changes(body=[first.with_changes(body=body)])


def _inside(statement: cst.BaseStatement) -> Sequence[cst.BaseStatement]:
    if isinstance(statement, cst.With) and isinstance(statement.body, cst.IndentedBlock):
        return statement.body.body
    return [statement]


def _lines_above(statement: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    lines: Sequence[cst.EmptyLine] = getattr(statement, "leading_lines", ())
    return lines


def _moved_in(statement: cst.BaseStatement, above: Sequence[cst.EmptyLine]) -> cst.BaseStatement:
    """A statement with the empty lines and comments that stood above the ``with`` around it."""
    lines = [*above, *_lines_above(statement)]
    return statement.with_changes(
        leading_lines=[one if one.comment else one.with_changes(indent=False) for one in lines]
    )


def _run_from(node: ast.stmt, block: Sequence[ast.stmt], facts: Facts) -> list[ast.stmt]:
    """The statements from a block under ``no_grad`` to the last that continues it."""
    if not _is_no_grad(node, facts):
        return [node]
    run: list[ast.stmt] = [node]
    between: list[ast.stmt] = []
    above = node
    for below in block[block.index(node) + 1 :]:
        if _is_no_grad(below, facts):
            if not _continues(below, above, bool(between), facts):
                break
            run += [*between, below]
            above, between = below, []
        elif _initializes(below, facts):
            between.append(below)
        else:
            break
    return run


def _continues(node: ast.stmt, above: ast.stmt, with_more: bool, facts: Facts) -> bool:
    """Whether a block goes on with another one, which a rewrite wrote at least one of."""
    were_written = [_was_written(block, facts) for block in (above, node)]
    if above.end_lineno is not None and node.lineno == above.end_lineno + 1:
        return any(were_written)
    if not all(were_written):
        return False
    lines = facts.lines[above.end_lineno or 0 : node.lineno - 1]
    return with_more or all(not line.strip() or line.lstrip()[0] == "#" for line in lines)


def _was_written(node: ast.stmt, facts: Facts) -> bool:
    return isinstance(node, ast.With) and facts.touched(node.items[0].context_expr)


def _initializes(node: ast.stmt, facts: Facts) -> bool:
    """``nn.init.zeros_(layer.bias)``."""
    call = node.value if isinstance(node, ast.Expr) else None
    name = facts.name(call.func) if isinstance(call, ast.Call) else None
    return name is not None and name.startswith("torch.nn.init.") and facts.touched(node)


def _is_no_grad(node: ast.stmt, facts: Facts) -> bool:
    """``with torch.no_grad():``, with its body on lines of its own."""
    if not isinstance(node, ast.With) or len(node.items) != 1:
        return False
    context = node.items[0].context_expr
    if not isinstance(context, ast.Call) or node.items[0].optional_vars is not None:
        return False
    return facts.name(context.func) == "torch.no_grad" and node.body[0].lineno > node.lineno
