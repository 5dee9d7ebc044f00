"""What an ``if cuda:`` holds besides moves: nothing, so that it can go, or lines between them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from torchfix_codemods.edit.tidying.beside import has_comments_twice
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.jumps import JUMPS
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rules.devices.questions.known_moves import parts_of_statement
from torchfix_codemods.rules.devices.questions.plan.missing_receivers import is_missing_without


@record
class Moves:
    """Which calls move something to a device."""

    facts: Facts
    device_of: Callable[[ast.AST], str | None]
    """The device that a call moves something to, or makes it on; None for all else."""
    is_planned: bool = False
    """Whether they are to be written: then ``x = Variable(x.cuda())`` moves x, as it does once
    Variables are gone."""


@record
class Freed:
    """What becomes of a guard whose moves can do without it."""

    device: str
    above: int
    """So many statements of its body go above it."""
    below: int = 0
    """So many go below it; where none are left between, the guard goes."""


def freed(node: ast.If, moves: Moves) -> Freed | None:
    """What becomes of ``if cuda: x = x.to(device)``; None where it has to stay around a move."""
    if _is_elif(node, moves.facts) or _has_comment(node, moves.facts):
        return None
    if node.orelse:
        device = device_of_same(node.body, node.orelse, moves)
        return None if device is None else Freed(device, len(node.body))
    devices = [_device_of_move(statement, moves) for statement in node.body]
    above = _leading(devices)
    below = 0 if above == len(devices) else _leading(devices[::-1])
    between = node.body[above : len(devices) - below]
    known = {*devices[:above], *devices[len(devices) - below :]}
    if len(known) != 1 or any(map(moves.device_of, _all_in(between))):
        return None
    if any(is_missing_without(node, moved, moves.facts) for moved in _moved(node, moves)):
        return None
    if below and not _goes_on(between, node.body[len(devices) - below :]):
        return None
    return Freed(known.pop() or "", above, below)


def _moved(node: ast.If, moves: Moves) -> list[ast.expr]:
    """What the moves of a guard move."""
    return [
        call.func.value
        for call in _all_in(node.body)
        if isinstance(call, ast.Call) and moves.device_of(call) is not None
        if isinstance(call.func, ast.Attribute)
    ]


def device_of_same(body: Sequence[ast.AST], orelse: Sequence[ast.AST], moves: Moves) -> str | None:
    """The device of what a branch moves, where the other is the same without the moves.

    Or with ``x.cpu()`` for each of them.
    """
    devices = {moves.device_of(node) for node in _all_in(body)} - {None}
    if len(devices) != 1 or any(map(moves.device_of, _all_in(orelse))):
        return None
    other = [ast.dump(part) for part in orelse]
    for is_brought_back in (False, True):
        if is_brought_back and may_be_of_project(moves.facts.names, "cpu"):
            # A class of the user's may do more.
            return None
        plain = [_without_moves(part, moves, is_brought_back) for part in body]
        if [ast.dump(part) for part in plain] == other:
            return devices.pop()
    return None


def _all_in(parts: Sequence[ast.AST]) -> list[ast.AST]:
    return [node for part in parts for node in ast.walk(part)]


def _is_elif(node: ast.If, facts: Facts) -> bool:
    return facts.lines[node.lineno - 1].encode()[node.col_offset :].startswith(b"elif")


def _has_comment(node: ast.If, facts: Facts) -> bool:
    """Whether a comment would go with a guard: on its first line, at its end, in its ``else``."""
    test, first = node.test, node.body[0]
    head = facts.lines[(test.end_lineno or test.lineno) - 1].encode()[test.end_col_offset :]
    if first.lineno > (test.end_lineno or test.lineno) and b"#" in head:
        return True
    if _ends_with_comment(node, facts):
        return True
    if not node.orelse:
        return False
    below = slice(node.body[-1].end_lineno, node.orelse[-1].end_lineno)
    return any("#" in line for line in facts.lines[below]) and not has_comments_twice(node, facts)


def _ends_with_comment(node: ast.If, facts: Facts) -> bool:
    """Whether comments below the last line of a block belong to it, by their indentation."""
    for line in facts.lines[node.end_lineno or node.lineno :]:
        text = line.strip()
        if text and not text.startswith("#"):
            return False
        if text and len(line) - len(line.lstrip()) > node.col_offset:
            return True
    return False


def _leading(devices: Sequence[str | None]) -> int:
    """How many moves come first."""
    return next((n for n, device in enumerate(devices) if device is None), len(devices))


def _goes_on(between: Sequence[ast.stmt], below: Sequence[ast.stmt]) -> bool:
    """Whether what is moved below some statements is there as well where they do not run."""
    if any(isinstance(node, JUMPS) for node in _all_in(between)):
        return False
    moved = {
        name.id for name in _all_in(below) if isinstance(name, ast.Name) and _is_stored(name, below)
    }
    return not any(_makes(statement, moved) for statement in between)


def _is_stored(name: ast.Name, statements: Sequence[ast.stmt]) -> bool:
    """Whether a name is what a move begins with: ``x`` of ``x = x.cuda()`` and ``x.y.cuda()``."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and first_name(node.func.value) is name
        for statement in statements
        for node in ast.walk(statement)
    )


def _makes(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement binds one of some names to what does not come from that name."""
    read = {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    stored = {
        root.id
        for node in ast.walk(statement)
        if isinstance(getattr(node, "ctx", None), ast.Store)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        if (root := first_name(node)) is not None
    }
    return bool(stored & names - read)


def _device_of_move(statement: ast.stmt, moves: Moves) -> str | None:
    """The device of ``x = x.to(device)``, of several at once, or of ``model.to(device)``."""
    if isinstance(statement, ast.Expr):
        calls = parts_of_statement(statement)
        is_module = all(isinstance(c, ast.Call) and _is_module_move(c, moves) for c in calls)
        known = set(map(moves.device_of, calls))
        return known.pop() if is_module and len(known) == 1 else None
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) != len(value.elts):
            return None
        pairs = list(zip(target.elts, value.elts, strict=True))
    devices = {_device_of_itself(*pair, moves) for pair in pairs}
    return devices.pop() if len(devices) == 1 else None


def _is_module_move(call: ast.Call, moves: Moves) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    # What a plan moves is no class of the user's with a ``to`` that does more.
    is_known = moves.is_planned or moves.facts.touched(call)
    return is_known or moves.facts.is_module(call.func.value)


def _device_of_itself(target: ast.expr, value: ast.expr, moves: Moves) -> str | None:
    """The device of ``x = x.to(device)``, where the target is what is moved."""
    call = _unwrapped(value, moves)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    is_itself = ast.unparse(_unwrapped(call.func.value, moves)) == ast.unparse(target)
    return moves.device_of(call) if is_itself else None


def _unwrapped(node: ast.expr, moves: Moves) -> ast.expr:
    while moves.is_planned and isinstance(node, ast.Call) and len(node.args) == 1:
        if moves.facts.name(node.func) != VARIABLE:
            break
        node = node.args[0]
    return node


def _without_moves(node: ast.AST, moves: Moves, is_brought_back: bool) -> ast.AST:
    """A copy of some code without its moves, or with ``x.cpu()`` for each."""
    plain = copy.deepcopy(node)
    pairs = zip(ast.walk(node), ast.walk(plain), strict=True)
    moved = {id(twin) for original, twin in pairs if moves.device_of(original) is not None}
    result = _WithoutMoves(moved, is_brought_back).visit(plain)
    assert isinstance(result, ast.AST)
    return result


class _WithoutMoves(ast.NodeTransformer):
    def __init__(self, moved: set[int], is_brought_back: bool) -> None:
        self._moved = moved
        self._is_brought_back = is_brought_back

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if id(node) not in self._moved:
            return node
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "cuda", "cpu"):
            if not self._is_brought_back:
                return node.func.value
            node.func.attr, node.args, node.keywords = "cpu", [], []
            return node
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "device"]
        return node
