"""What of a loop's body runs in its last round only."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import whole_number, without_offset
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import is_name, same_expression

_LEAVING = (ast.Break, ast.Return, ast.Raise)


def is_of_last_round(names: Names, node: ast.AST, loop: ast.AST) -> bool:
    """Whether a node of a loop's body runs in the last round of the loop only, if at all.

    Args:
        names: the scopes of the module.
        node: the node, not one of another loop inside of ``loop``.
        loop: the loop.
    """
    return _is_before_leaving(names, node, loop) or _is_by_count(names, node, loop)


def _is_before_leaving(names: Names, node: ast.AST, loop: ast.AST) -> bool:
    """Whether a block of the loop that holds the node ends with ``break``, or leaves otherwise."""
    child = node
    for parent in names.ancestors(node):
        for block in (getattr(parent, "body", None), getattr(parent, "orelse", None)):
            if isinstance(block, list) and child in block and isinstance(block[-1], _LEAVING):
                return True
        if parent is loop:
            return False
        child = parent
    return False


def _is_by_count(names: Names, node: ast.AST, loop: ast.AST) -> bool:
    """``if i + 1 == len(loader):`` in ``for i, batch in enumerate(loader):``."""
    counted = _count_of(names, loop)
    if counted is None:
        return False
    name, start, number = counted
    inside = ((test, way) for test, way in tests_around(names, node) if _holds(names, loop, test))
    for test, outcome in inside:
        parts = [test]
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            parts = test.values
        if outcome and any(_asks_for_last(part, name, start, number) for part in parts):
            return True
    return False


def _holds(names: Names, loop: ast.AST, test: ast.AST) -> bool:
    return any(around is loop for around in names.ancestors(test))


def _count_of(names: Names, loop: ast.AST) -> tuple[str, int, ast.expr] | None:
    """The name that counts the rounds of a loop, its first number, and how many rounds there are.

    The number of ``enumerate(loader)`` is given as ``loader``, which ``len`` is asked of.
    """
    call = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(loop, ast.For) or not isinstance(call, ast.Call) or not call.args:
        return None
    walker, target = names.builtin(call.func), loop.target
    if walker == "range" and len(call.args) == 1 and isinstance(target, ast.Name):
        return target.id, 0, call.args[0]
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
    if walker != "enumerate" or not isinstance(first, ast.Name):
        return None
    given = [*call.args[1:], *(k.value for k in call.keywords)]
    start = whole_number(given[0]) if given else 0
    if start is None:
        return None
    # As ``len`` of it would be written.
    number = ast.Call(ast.Name("len", ast.Load()), [call.args[0]], [])
    return first.id, start, number


def _asks_for_last(test: ast.expr, name: str, start: int, number: ast.expr) -> bool:
    """Whether a test holds for no round before the last one."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, ast.LtE):
        left, operator, right = right, ast.GtE(), left
    if isinstance(operator, ast.Eq) and not is_name(without_offset(left)[0], name):
        left, right = right, left
    counted, more = without_offset(left)
    rounds, fewer = without_offset(right)
    if not is_name(counted, name) or not same_expression(rounds, number):
        return False
    is_last = isinstance(operator, (ast.Eq, ast.GtE)) and start - 1 + more <= fewer
    return is_last or (isinstance(operator, ast.Gt) and start - 1 + more <= fewer + 1)
