"""The path that an expression certainly is: of text, of ``os.path``, of ``pathlib``."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import whole_number

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names

#: What changes nothing about where a folder is.
SAME_PLACE = frozenset({"os.path.abspath", "os.path.realpath", "os.path.normpath"})

#: Methods of paths that change nothing about it either.
_SAME_PATH = frozenset({"absolute", "resolve"})

#: A folder that is put together in more steps than this is not looked up.
_MOST_STEPS = 12


def written_path(node: ast.expr, names: Names, file: str, steps: int = 0) -> str | None:
    """The path that an expression certainly is; None where it hangs on anything else.

    Args:
        node: the expression.
        names: the scopes of its file.
        file: that file, its path resolved.
        steps: in how many steps it was put together already.
    """
    if steps > _MOST_STEPS:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        if node.id == "__file__":
            return file
        bindings = names.module.bindings.get(node.id, [])
        is_set_once = len(bindings) == 1 and bindings[0].kind == "assign"
        value = bindings[0].written() if is_set_once else None
        return None if value is None else written_path(value, names, file, steps + 1)
    name = names.name(node.func if isinstance(node, ast.Call) else node)
    if name in ("os.pardir", "os.curdir"):
        return os.pardir if name == "os.pardir" else os.curdir
    if name is None:
        return _of_object(node, names, file, steps + 1)
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    if name == "os.getcwd" and not node.args:
        return os.curdir
    parts = [written_path(argument, names, file, steps + 1) for argument in node.args]
    known = [part for part in parts if part is not None]
    if not known or len(known) != len(parts):
        return None
    if name in ("os.path.join", "pathlib.Path"):
        return os.path.join(*known)
    if len(known) != 1:
        return None
    if name == "os.path.dirname":
        return _above(known[0])
    return os.path.normpath(known[0]) if name in SAME_PLACE else None


def _above(path: str) -> str | None:
    """What is above a relative path, only its text says, and ``..`` in it is above once more."""
    return os.path.dirname(path) if os.path.isabs(path) else None


def _of_object(node: ast.expr, names: Names, file: str, steps: int) -> str | None:
    """``Path(__file__).resolve().parents[1] / "lib"``, and the text of it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        parts = [written_path(part, names, file, steps) for part in (node.left, node.right)]
        known = [part for part in parts if part is not None]
        return os.path.join(*known) if len(known) == len(parts) else None
    if isinstance(node, ast.Call) and names.builtin(node.func) == "str":
        is_one = len(node.args) == 1 and not node.keywords
        return written_path(node.args[0], names, file, steps) if is_one else None
    if isinstance(node, ast.Call) and isinstance(method := node.func, ast.Attribute):
        is_same = method.attr in _SAME_PATH and not node.args and not node.keywords
        path = written_path(method.value, names, file, steps) if is_same else None
        return None if path is None else os.path.normpath(path)
    at: int | None = 0
    asked = "parent"
    if isinstance(node, ast.Subscript):
        at, node, asked = whole_number(node.slice), node.value, "parents"
    if at is None or at < 0 or not isinstance(node, ast.Attribute) or node.attr != asked:
        return None
    path = written_path(node.value, names, file, steps)
    for _ in range(at + 1):
        path = None if path is None else _above(path)
    return path
