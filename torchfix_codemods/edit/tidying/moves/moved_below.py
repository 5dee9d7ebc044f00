"""New tensors that are moved together below are made where they go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.lines import WIDTH
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.made_above import is_there_before, kept_by, name_of
from torchfix_codemods.edit.tidying.moves.moved_when_made import is_another_there, is_making
from torchfix_codemods.edit.tidying.moves.moving import is_move
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found

#: What makes other numbers on another device, and is moved therefore.
_RANDOM = frozenset({"torch.rand", "torch.randint", "torch.randn", "torch.randperm"})


#: What is made and moved alone is another matter.
_FEWEST = 2


@record
class _Move:
    """``x = x.to(device)``, alone or as one of several of a statement."""

    name: str
    device: ast.expr


@record
class _Made:
    """What gives a name its value, and the statement below that moves it."""

    making: ast.Assign
    moving: ast.Assign
    move: _Move


class MovedBelow(Tidying):
    """Writes ``x = torch.zeros(2, device=device)`` where several are made, and then moved.

    Of ``x = torch.zeros(2)``, ``y = torch.rand(2)`` and ``x, y = x.to(device), y.to(device)`` the
    third line goes, as do two lines that move one each; random numbers are moved at once. It is all
    of them, or none. ``x = x.long()`` and ``loss = 0`` may stand between.
    """

    name = "moved-below"
    words = frozenset({"to"})

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        moves = _moves_of(node, facts) if facts.touched(node) else []
        together = _made_above(node, facts) if moves else []
        here = [one for one in together if one.moving is node]
        if len(together) < _FEWEST or not here or len(here) != len(moves):
            return
        if not all(_goes_up(one, together, facts) for one in together):
            return
        group = f"moves of line {node.lineno}"
        yield self.found(node, "is made where it goes", group=group)
        for one in here:
            yield self.found(
                one.making.value,
                "is made where it goes",
                group=group,
                device=ast.unparse(one.move.device),
                inside=is_making(one.making.value, facts),
            )

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if "device" not in self.data else updated

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "device" not in self.data:
            return updated
        device = cst.parse_expression(self.data["device"])
        if not self.data["inside"]:
            return cst.Call(cst.Attribute(updated, cst.Name("to")), [cst.Arg(device)])
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
    name = name_of(target, facts) if is_move(value, facts) else None
    if name is None:
        return None
    assert isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
    is_itself = ast.unparse(value.func.value) == name
    return _Move(name, value.args[0]) if is_itself else None


def _moves(node: ast.stmt, facts: Facts) -> bool:
    """Whether a statement only moves something, a module or what has a name."""
    is_of_module = isinstance(node, ast.Expr) and is_move(node.value, facts)
    return is_of_module or bool(_moves_of(node, facts))


def _made_above(node: ast.Assign, facts: Facts) -> list[_Made]:
    """What gives names to the values that some lines move, right above all those lines."""
    block = facts.block(node)
    at = block.index(node)
    first, last = at, at + 1
    while first and _moves(block[first - 1], facts):
        first -= 1
    while last < len(block) and _moves(block[last], facts):
        last += 1
    moved = {
        move.name: (line, move)
        for line in block[first:last]
        if isinstance(line, ast.Assign)
        for move in _moves_of(line, facts)
    }
    made: dict[str, _Made] = {}
    converted = set[str]()
    for line in reversed(block[:first]):
        name = kept_by(line, facts) if isinstance(line, ast.Assign) else None
        if not isinstance(line, ast.Assign) or name is None or name in made:
            break
        if name not in moved:
            devices = (move.device for _, move in moved.values())
            if not isinstance(line.value, ast.Constant) or not all(
                is_there_before(device, {name}, facts) for device in devices
            ):
                break
        elif _converts(line, name):
            converted.add(name)
        else:
            made[name] = _Made(line, *moved[name])
    return [*made.values()] if converted <= made.keys() else []


def _converts(line: ast.stmt, name: str) -> bool:
    """Whether a statement is ``x = x.long()`` for a name, which is the same wherever x lies."""
    call = line.value if isinstance(line, ast.Assign) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    is_cast = torch_effects.is_cast(call.func.attr) and not call.args and not call.keywords
    return is_cast and ast.unparse(call.func.value) == name


def _goes_up(one: _Made, together: list[_Made], facts: Facts) -> bool:
    """Whether a value can be made where it is moved, on the line that it has."""
    making, moving = one.making, one.moving
    added = f", device={ast.unparse(one.move.device)}"
    if not _makes(making.value, facts) or (making.end_col_offset or 0) + len(added) > WIDTH:
        return False
    if not facts.touched(moving) or _has_comment_above(moving, facts):
        return False
    if not _is_plain(making, facts) or not _is_plain(moving, facts):
        return False
    block = facts.block(making)
    between = block[block.index(making) + 1 : block.index(moving)]
    is_seen = facts.names.scope_of(making).kind != "function" or "." in one.move.name
    if is_seen and any(
        isinstance(part, ast.Call) and facts.name(part.func) is None
        for other in together
        for part in ast.walk(other.making.value)
    ):
        # What is called there may read a name of the module level, or what the object keeps.
        return False
    read = {
        ast.unparse(part)
        for line in between
        if not _converts(line, one.move.name)
        for part in ast.walk(line)
        if isinstance(part, (ast.Name, ast.Attribute))
    }
    kept = {other.move.name for other in together}
    return one.move.name not in read and is_there_before(one.move.device, kept, facts)


def _makes(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a call of torch that makes a tensor of its own, as a device asks."""
    if not isinstance(node, ast.Call) or is_another_there(node):
        return False
    return is_making(node, facts) or facts.name(node.func) in _RANDOM


def _is_plain(node: ast.stmt, facts: Facts) -> bool:
    """Whether a statement has one line for itself, without a comment."""
    line = facts.lines[node.lineno - 1]
    return node.lineno == node.end_lineno and "#" not in line and ";" not in line


def _has_comment_above(node: ast.stmt, facts: Facts) -> bool:
    return facts.lines[node.lineno - 2].lstrip().startswith("#")
