"""What tests replace by a ``Mock`` of ``@patch("…")``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.arguments import constant
from torchfix_codemods.facts.elsewhere import OtherFile
from torchfix_codemods.facts.module import Facts

_PATCH = frozenset({"unittest.mock.patch", "mock.patch"})


def replaced_by(facts: Facts, node: ast.expr) -> tuple[OtherFile, str] | None:
    """What the parameter of a test stands for that ``@patch`` gives to it.

    Returns:
        the file of the project in whose name it is replaced, and its qualified name: torch's or
        another library's; None where that is not certain.
    """
    if not isinstance(node, ast.Name) or facts.files is None:
        return None
    bindings = facts.flow.reaching(node)
    parameter = bindings[0].node if len(bindings) == 1 else None
    arguments = None if parameter is None else facts.parent(parameter)
    function = None if arguments is None else facts.parent(arguments)
    if not isinstance(arguments, ast.arguments) or not isinstance(function, ast.FunctionDef):
        return None
    is_method = isinstance(facts.parent(function), ast.ClassDef)
    given = dict(zip(arguments.args[is_method:], reversed(function.decorator_list), strict=False))
    paths = [_path(facts, decorator) for decorator in function.decorator_list]
    path = _path(facts, given[parameter]) if parameter in given else None
    return None if path is None or None in paths else _resolved(facts, path)


def _path(facts: Facts, decorator: ast.expr) -> str | None:
    """The text of ``@patch("module.name")``, which gives the test a ``Mock``."""
    if not isinstance(decorator, ast.Call) or facts.name(decorator.func) not in _PATCH:
        return None
    is_plain = len(decorator.args) == 1 and not decorator.keywords
    path = constant(decorator.args[0]) if is_plain else None
    return path if isinstance(path, str) else None


def _resolved(facts: Facts, path: str) -> tuple[OtherFile, str] | None:
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        assert facts.files is not None
        file = facts.files.module(".".join(parts[:length]))
        if file is not None:
            there = file.inference
            name = None if there is None else there.names.name_left(parts[length])
            return None if name is None else (file, ".".join([name, *parts[length + 1 :]]))
    return None
