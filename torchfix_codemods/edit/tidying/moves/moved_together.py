"""Several tensors that one line moves are moved, or made, where each of them is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument
from torchfix_codemods.edit.below import changed_below, nodes_below
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.made_above import is_there_before, lines_since_made, name_of
from torchfix_codemods.edit.tidying.moves.moved_when_made import (
    assignment_of,
    fits_joined,
    is_making,
    was_on_its_way,
    with_keyword,
)
from torchfix_codemods.edit.tidying.moves.moving import is_move
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found


class MovedTogether(Tidying):
    """Writes ``x = torch.zeros(2, device=device)`` and ``y = torch.randn(2).to(device)`` for lines
    that make x and y, and one below that moves them: ``x, y = x.to(device), y.to(device)``.

    A call that takes a device gets it. Another one is moved at once where it has just lost its
    Variable, or where torch makes a tensor there that was moved under a guard. All go, or none.
    So it is with ``return x.to(device), y.to(device)`` where all of them can be made there.
    """

    name = "moved-together"
    words = frozenset({"to"})

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.value, ast.Tuple) or not facts.touched(node):
            return
        pairs = _pairs_moved(node, facts)
        lines = _lines_that_make(node, pairs, facts)
        if lines:
            moved = [not is_making(line.value, facts) for line in lines]
            region = [*lines, node]
            yield self.found(node, "are made where they go", region=region, moved=moved)

    def find_Return(self, node: ast.Return, facts: Facts) -> Iterator[Found]:
        if node.value is None or not facts.touched(node):
            return
        pairs = _pairs_returned(node.value, facts)
        lines = _lines_that_make(node, pairs, facts)
        if lines and all(is_making(line.value, facts) for line in lines):
            region, moved = [*lines, node], [False] * len(lines)
            yield self.found(node, "are made where they go", region=region, moved=moved)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        *lines, last = updated.body
        made, moves = [*map(assignment_of, lines)], [*nodes_below(last, cst.Call)]
        if not moves:
            return updated
        move = moves[0]
        device = keyword_argument("device", move.args[0].value)
        new = [
            with_keyword(line, each, device, updated.indent)
            if not is_moved
            else line.with_deep_changes(each, value=_moved(each.value, move))
            for line, each, is_moved in zip(lines, made, self.data["moved"], strict=True)
            if each is not None
        ]
        if len(new) != len(lines):
            return updated
        if assignment_of(last) is None:
            new.append(changed_below(last, cst.Call, _unmoved))
        return updated.with_changes(body=new)


def _unmoved(original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
    """``y`` of ``y.to(device)``."""
    return updated.func.value if isinstance(updated.func, cst.Attribute) else updated


def _moved(value: cst.BaseExpression, move: cst.Call) -> cst.Call:
    """``y.to(device)`` of something else."""
    return move.with_deep_changes(move.func, value=value)


def _lines_that_make(
    node: ast.Assign | ast.Return, pairs: list[tuple[str, ast.Call]], facts: Facts
) -> list[ast.Assign]:
    """The lines right above ``x, y = x.to(device), y.to(device)`` that make x and y.

    None where something else stands between, or one of them has to be moved below.
    """
    made = dict(pairs)
    block, at = facts.block(node), facts.block(node).index(node)
    above = block[max(at - len(pairs), 0) : at]
    if not pairs or len(made) != len(pairs) or len(above) != len(pairs):
        return []
    moves = [*made.values()]
    devices = {ast.dump(move.args[0]) for move in moves}
    if len(devices) != 1 or not is_there_before(moves[0].args[0], {*made}, facts):
        return []
    found = []
    for name, move in pairs:
        line = next(iter(lines_since_made(node, name, facts)), None)
        if not isinstance(line, ast.Assign) or line not in above:
            return []
        if not is_making(line.value, facts) and not (
            isinstance(node, ast.Assign)
            and fits_joined(line, move, facts)
            and was_on_its_way(line, node, facts)
        ):
            return []
        found.append(line)
    return sorted(found, key=above.index)


def _pairs_moved(node: ast.Assign, facts: Facts) -> list[tuple[str, ast.Call]]:
    """``x`` and ``x.to(device)``, of each that a line moves; none where it does anything else."""
    targets, values = node.targets[0], getattr(node.value, "elts", [])
    if len(node.targets) != 1 or not isinstance(targets, ast.Tuple):
        return []
    if len(targets.elts) != len(values):
        return []
    pairs = []
    for target, value in zip(targets.elts, values, strict=True):
        if not is_move(value, facts) or not isinstance(value.func, ast.Attribute):
            return []
        name = name_of(target, facts)
        if name is None or name != name_of(value.func.value, facts):
            return []
        pairs.append((name, value))
    return pairs


def _pairs_returned(value: ast.expr, facts: Facts) -> list[tuple[str, ast.Call]]:
    """``x`` and ``x.to(device)``, of each that ``return`` moves; none where it gives others."""
    if isinstance(value, ast.Tuple):
        parts = [_pairs_returned(part, facts) for part in value.elts]
        return [pair for part in parts for pair in part] if all(parts) else []
    if not is_move(value, facts) or not isinstance(value.func, ast.Attribute):
        return []
    moved = value.func.value
    return [(moved.id, value)] if isinstance(moved, ast.Name) else []
