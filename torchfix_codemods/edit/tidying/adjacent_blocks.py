"""Blocks under ``no_grad`` that stand right below one another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeVar

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.base import Tidying, is_no_grad, was_written
from torchfix_codemods.edit.tidying.noted_numbers import notes_numbers
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.tensors.integers import bounds_slice
from torchfix_codemods.facts.values.lattice import Array, NoneValue, Number, Tensor, Text, Value
from torchfix_codemods.rule import Found

#: So many lines that need no graph may stand between two blocks.
_MOST_BETWEEN = 2

#: What may be covered, and what may stand beside it; see `_is_idle`.
_BLOCKS = (ast.With, ast.If)
_IDLE = (ast.Raise, ast.Pass, ast.Expr)

_Branch = TypeVar("_Branch", "cst.If", "cst.Else")


class AdjacentBlocks(Tidying):
    """Joins ``with torch.no_grad():`` blocks where a rewrite put one right below another.

    Empty lines and comments may stand between two that were both written, functions of ``nn.init``,
    which work under ``no_grad`` anyway, and lines that give names what needs no graph, or note
    numbers. An ``if`` whose branches hold written blocks only goes with what stands right above or
    below it, and under one block of its own where it holds several.
    """

    name = "adjacent-blocks"
    words = frozenset({"no_grad"})

    def find_With(self, node: ast.With, facts: Facts) -> Iterator[Found]:
        return self._find(node, facts)

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        return self._find(node, facts)

    def _find(self, node: ast.With | ast.If, facts: Facts) -> Iterator[Found]:
        if not _is_covered(node, facts):
            return
        block = facts.block(node)
        at = block.index(node)
        if any(node in _run_from(above, block, facts) for above in block[:at]):
            return
        run = _run_from(node, block, facts)
        if len(run) > 1 and any(is_no_grad(part, facts) for part in run):
            yield self.found(node, "is continued by the block below", region=run)
        elif _holds_several(node, facts) and not _is_branch(node, facts):
            yield self.found(node, "has such a block in each branch", region=[node])

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        blocks = [block for part in updated.body for block in _blocks_in(part)]
        first, last = updated.body[0], updated.body[-1]
        if not blocks or not isinstance(first, (cst.With, cst.If)):
            return updated
        joined = [*_opened(first.with_changes(leading_lines=()))]
        for statement in updated.body[1:]:
            joined += _opened_below(statement)
        body = (last if isinstance(last, cst.With) else blocks[0]).body
        if not isinstance(body, cst.IndentedBlock):
            return updated
        around = blocks[0].with_changes(leading_lines=first.leading_lines)
        return updated.with_changes(body=[around.with_changes(body=body.with_changes(body=joined))])


def _blocks_in(statement: cst.BaseStatement | cst.Else) -> Iterator[cst.With]:
    """The blocks that a statement is, or that stand in its branches."""
    if isinstance(statement, cst.With):
        yield statement
    elif isinstance(statement, (cst.If, cst.Else)):
        for part in statement.body.body:
            if isinstance(part, (cst.With, cst.If)):
                yield from _blocks_in(part)
        below = getattr(statement, "orelse", None)
        yield from () if below is None else _blocks_in(below)


def _opened(statement: cst.BaseStatement) -> Sequence[cst.BaseStatement]:
    """What a block holds; an ``if`` without the blocks in its branches."""
    if isinstance(statement, cst.With) and isinstance(statement.body, cst.IndentedBlock):
        return statement.body.body
    return [_branches_opened(statement)] if isinstance(statement, cst.If) else [statement]


def _opened_below(statement: cst.BaseStatement) -> list[cst.BaseStatement]:
    """The same, with the lines that stood above the block."""
    begin, *others = _opened(statement)
    above = _lines_above(statement) if isinstance(statement, cst.With) else ()
    return [_moved_in(begin, above), *others]


def _branches_opened(branch: _Branch) -> _Branch:
    """``if``, ``elif`` or ``else`` without the block that its statements stand under."""
    below = getattr(branch, "orelse", None)
    if below is not None:
        branch = branch.with_changes(orelse=_branches_opened(below))
    if not isinstance(branch.body, cst.IndentedBlock):
        return branch
    body = [part for statement in branch.body.body for part in _opened_below(statement)]
    return branch.with_changes(body=branch.body.with_changes(body=body))


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
    if not _is_covered(node, facts):
        return [node]
    run: list[ast.stmt] = [node]
    between: list[ast.stmt] = []
    above = node
    for below in block[block.index(node) + 1 :]:
        others = [line for line in between if not _initializes(line, facts)]
        if _is_covered(below, facts):
            if not _continues(below, above, bool(between), facts):
                break
            run += [*between, below]
            above, between = below, []
        elif _initializes(below, facts):
            between.append(below)
        elif len(others) < _MOST_BETWEEN and _needs_no_graph(below, facts):
            between.append(below)
        else:
            break
    return run


def _needs_no_graph(node: ast.stmt, facts: Facts) -> bool:
    """``loss = 0``, ``scores = output.data.cpu()``, ``print("…")``, ``losses.add(loss.item())``.

    They do the same under ``no_grad``.
    """
    if not _is_line(node) or not isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)):
        return False
    if isinstance(node, ast.Expr):
        printed = node.value if isinstance(node.value, ast.Call) else None
        if printed is None or facts.names.builtin(printed.func) != "print":
            return notes_numbers(node, facts)
        shown = map(facts.value, values_given(printed))
        return is_harmless([node], (), facts) and all(map(_is_plain, shown))
    # Of what requires gradients a part is none under ``no_grad``.
    is_known = is_harmless([node], (), facts) and _is_plain(facts.value(node.value))
    return is_known or _counts_on(node, facts)


def _counts_on(node: ast.stmt, facts: Facts) -> bool:
    """``start = start + n`` of ``buffer[start:]``."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp):
        return False
    is_called = any(isinstance(part, (ast.Call, ast.Await)) for part in walk(node.value))
    return not is_called and bounds_slice(facts, node.value)


def _is_plain(value: Value) -> bool:
    """Whether a value is no tensor, or one outside of any graph, which no block makes another."""
    if isinstance(value, Tensor):
        return value.grad is False
    return isinstance(value, (Array, NoneValue, Number, Text))


def _is_line(node: ast.stmt) -> bool:
    return (
        isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)) and node.end_lineno == node.lineno
    )


def _is_covered(node: ast.stmt, facts: Facts) -> bool:
    """A block under ``no_grad``, or an ``if`` whose branches need nothing else."""
    if not isinstance(node, ast.If):
        return is_no_grad(node, facts)
    parts = (*node.body, *node.orelse)
    # Most choices hold none, or what nothing but a look at its kind shows to be more.
    if not any(isinstance(part, _BLOCKS) for part in parts):
        return False
    if not all(isinstance(part, (*_BLOCKS, *_IDLE)) for part in parts):
        return False
    held = [part for part in parts if not _is_idle(part, facts)]
    if not held or not all(_is_covered(part, facts) for part in held):
        return False
    if any(isinstance(part, ast.NamedExpr) for part in walk(node.test)):
        return False
    return _was_written(node, facts) and is_harmless([node.test], (), facts)


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
    if isinstance(node, ast.If):
        parts = (*node.body, *node.orelse)
        return all(_was_written(part, facts) or _is_idle(part, facts) for part in parts)
    return isinstance(node, ast.With) and was_written(node, facts)


def _holds_several(node: ast.stmt, facts: Facts) -> bool:
    """Whether the branches of an ``if`` hold more than one block."""
    parts = walk(node) if isinstance(node, ast.If) else ()
    return sum(isinstance(part, ast.With) and is_no_grad(part, facts) for part in parts) > 1


def _is_branch(node: ast.stmt, facts: Facts) -> bool:
    """Whether a statement is the ``elif`` of another one, which no block can stand around."""
    above = facts.parent(node)
    is_last = isinstance(above, ast.If) and node in above.orelse
    return is_last and facts.lines[node.lineno - 1].lstrip().startswith("elif")


def _is_idle(node: ast.stmt, facts: Facts) -> bool:
    """What a branch may do beside its blocks: nothing, ``nn.init``, print a text, or raise."""
    if isinstance(node, ast.Raise):
        return is_harmless([node], (), facts)
    is_init = isinstance(node, ast.Pass) or _initializes(node, facts)
    return is_init or (isinstance(node, ast.Expr) and _needs_no_graph(node, facts))


def _initializes(node: ast.stmt, facts: Facts) -> bool:
    """``nn.init.zeros_(layer.bias)``."""
    call = node.value if isinstance(node, ast.Expr) else None
    name = facts.name(call.func) if isinstance(call, ast.Call) else None
    return name is not None and name.startswith("torch.nn.init.") and facts.touched(node)
