"""New tensors that are moved together below are made where they go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.moved_when_made import (
    WIDTH,
    is_making,
    is_move,
    target_of,
)
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found


@record
class _Move:
    """``x = x.to(device)``, alone or as one of several of a statement."""

    name: str
    device: ast.expr


class MovedBelow(Tidying):
    """Writes ``x = torch.zeros(2, device=device)`` where several are made, and then moved.

    Of ``x = torch.zeros(2)``, ``y = torch.ones(2)`` and ``x, y = x.to(device), y.to(device)`` the
    third line goes, as do two lines that move one each.
    """

    name = "moved-below"
    words = frozenset({"to"})

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        moves = _moves_of(node, facts) if facts.touched(node) else []
        if not moves or not _is_plain(node, facts) or _has_comment_above(node, facts):
            return
        made = _made_above(node, facts)
        makings = [made.get(move.name) for move in moves]
        block = facts.block(node)
        if len(moves) == 1 and makings[0] is block[block.index(node) - 1]:
            # One that is moved right below is another matter.
            return
        if any(made.keys() & _names_in(move.device) for move in moves) or not all(
            making is not None and _takes_device(making, node, move, facts)
            for making, move in zip(makings, moves, strict=True)
        ):
            return
        group = f"moves of line {node.lineno}"
        yield self.found(node, "is made where it goes", group=group)
        for making, move in zip(makings, moves, strict=True):
            assert making is not None
            device = ast.unparse(move.device)
            yield self.found(making.value, "is made where it goes", group=group, device=device)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if "device" not in self.data else updated

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "device" not in self.data:
            return updated
        device = cst.parse_expression(self.data["device"])
        return with_argument_added(updated, keyword_argument("device", device))


def _moves_of(node: ast.stmt, facts: Facts) -> list[_Move]:
    """What a statement moves, which does nothing else: ``x, y = x.to(device), y.to(device)``."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
        if len(pairs) != max(len(target.elts), len(value.elts)):
            return []
    moves = [_move_of(*pair, facts) for pair in pairs]
    known = {move.name for move in moves if move is not None}
    return [move for move in moves if move is not None] if len(known) == len(pairs) else []


def _move_of(target: ast.expr, value: ast.expr, facts: Facts) -> _Move | None:
    if not isinstance(target, ast.Name) or not is_move(value, facts):
        return None
    assert isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
    moved = value.func.value
    if not isinstance(moved, ast.Name) or moved.id != target.id:
        return None
    return _Move(target.id, value.args[0])


def _moves(node: ast.stmt, facts: Facts) -> bool:
    """Whether a statement only moves something, a module or what has a name."""
    is_of_module = isinstance(node, ast.Expr) and is_move(node.value, facts)
    return is_of_module or bool(_moves_of(node, facts))


def _made_above(node: ast.Assign, facts: Facts) -> dict[str, ast.Assign]:
    """What gives names to the values that some lines move, right above all those lines."""
    block = facts.block(node)
    at = block.index(node)
    first, last = at, at + 1
    while first and _moves(block[first - 1], facts):
        first -= 1
    while last < len(block) and _moves(block[last], facts):
        last += 1
    moved = {move.name for line in block[first:last] for move in _moves_of(line, facts)}
    made: dict[str, ast.Assign] = {}
    for line in reversed(block[:first]):
        name = target_of(line) if isinstance(line, ast.Assign) else None
        if name not in moved or name in made:
            break
        assert isinstance(line, ast.Assign)
        made[name] = line
    return made


def _takes_device(making: ast.Assign, node: ast.Assign, move: _Move, facts: Facts) -> bool:
    """Whether a value can be made where a statement moves it, on the line that it has."""
    width = (making.end_col_offset or 0) + len(f", device={ast.unparse(move.device)}")
    if not is_making(making.value, facts) or not _is_plain(making, facts) or width > WIDTH:
        return False
    block = facts.block(node)
    between = block[block.index(making) + 1 : block.index(node)]
    if facts.names.scope_of(node).kind != "function" and not all(
        _moves(line, facts) or (isinstance(line, ast.Assign) and _makes(line.value, facts))
        for line in between
    ):
        # A function that is called there may read a name of the module level.
        return False
    needed = _names_in(move.device)
    names = [part for line in between for part in ast.walk(line) if isinstance(part, ast.Name)]
    is_read = any(part.id == move.name for part in names)
    is_bound = any(part.id in needed and isinstance(part.ctx, ast.Store) for part in names)
    return not is_read and not is_bound


def _makes(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is one call of torch, which makes a tensor."""
    called = (isinstance(node, ast.Call) and facts.name(node.func)) or ""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    return len(calls) == 1 and torch_effects.does(called, "makes")


def _names_in(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_plain(node: ast.stmt, facts: Facts) -> bool:
    """Whether a statement has one line for itself, without a comment."""
    line = facts.lines[node.lineno - 1]
    return node.lineno == node.end_lineno and "#" not in line and ";" not in line


def _has_comment_above(node: ast.stmt, facts: Facts) -> bool:
    return facts.lines[node.lineno - 2].lstrip().startswith("#")
