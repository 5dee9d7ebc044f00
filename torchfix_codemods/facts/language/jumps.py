"""Where a turn of a loop ends before its last statement, and which blocks never end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import LOOPS

Loop = ast.For | ast.AsyncFor | ast.While
JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_EXITS = frozenset({"sys.exit", "os._exit", "os.abort"})


def jumps_of(
    names: Names, loop: Loop, *kinds: type[ast.Continue] | type[ast.Break]
) -> Iterator[ast.stmt]:
    """The statements that end a turn of a loop, or all of it.

    Args:
        names: the scopes of the module.
        loop: the loop.
        kinds: ``ast.Continue``, ``ast.Break``.
    """
    last = loop.end_lineno or loop.lineno
    for kind in kinds:
        for node in names.nodes.get(kind, ()):
            assert isinstance(node, ast.stmt)
            if loop.lineno < node.lineno <= last and _loop_of(names, node) is loop:
                yield node


def _loop_of(names: Names, jump: ast.AST) -> ast.AST | None:
    """The loop that goes on, or ends: the innermost one, but not from its ``else``."""
    child = jump
    for parent in names.ancestors(jump):
        if isinstance(parent, LOOPS) and child in parent.body:
            return parent
        child = parent
    return None


def leaves(block: list[ast.stmt], names: Names) -> bool:
    """Whether control never reaches the end of ``block``."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, ast.If):
        return leaves(last.body, names) and leaves(last.orelse, names)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return leaves(last.body, names)
    return isinstance(last, JUMPS) or is_exit(last, names)


def is_exit(statement: ast.stmt, names: Names) -> bool:
    """Whether a statement ends the program: ``sys.exit()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    return names.builtin(call.func) in ("exit", "quit") or names.name(call.func) in _EXITS
