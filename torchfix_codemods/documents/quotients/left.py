"""What is told of the quotients of a file that both Pythons read, and Python 2 alone ran.

A `/` that becomes `//` because a float raises there shows who ran the file, if nothing in it is
newer, and so does a list of Python 2. What else it divides rounded down as well, and raises nothing
today, or only where a float is no index.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from torchfix_codemods.documents.only_python2 import is_only_python2
from torchfix_codemods.documents.quotients.division import divisions_told
from torchfix_codemods.documents.quotients.told_once import told_once
from torchfix_codemods.engine.migrate import Migration, Options
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.remarks import DIVIDED_SIZE, ONLY_PYTHON_2
from torchfix_codemods.text.repair import repair_async

_SYNTAX = (ast.JoinedStr, ast.AnnAssign, ast.Nonlocal, ast.AsyncFunctionDef, ast.YieldFrom)


def with_divisions_told(migration: Migration, text: str, options: Options) -> Migration:
    """A migration that tells of the other quotients where it made one a size, or tells of a list.

    A file that is to be converted gets them then.

    Args:
        migration: of the text.
        text: a module that Python 3 reads, or that read `async=True` until 3.7.
        options: settings.
    """
    sizes = [f for f in migration.findings if f.code == DIVIDED_SIZE]
    is_sized = any(f.fixed for f in sizes)
    is_listed = any(f.code == ONLY_PYTHON_2.code for f in migration.findings)
    if not (is_sized or is_listed) or migration.errors:
        return migration
    text, _ = repair_async(text)
    tree = ast.parse(text)
    if _is_of_python3(tree) or (not is_sized and is_only_python2(text, tree)):
        return migration
    known = {f.line for f in sizes}
    told = told_once(f for f in divisions_told(text, options) if f.line not in known)
    return replace(migration, findings=tuple(sorted((*migration.findings, *told))))


def _is_of_python3(tree: ast.Module) -> bool:
    """Whether Python 2 cannot run a file, or divides there as Python 3 does."""
    return any(_is_newer(node) for node in walk(tree))


def _is_newer(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        # It divides as Python 3 does.
        return any(alias.name == "division" for alias in node.names)
    if isinstance(node, ast.FunctionDef):
        given = node.args
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        return bool(node.returns or given.kwonlyargs) or _are_annotated(arguments)
    if isinstance(node, ast.Call):
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        return is_super and not node.args
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, _SYNTAX) or (isinstance(node, ast.Raise) and node.cause is not None)


def _are_annotated(arguments: Iterable[ast.arg]) -> bool:
    return any(argument.annotation is not None for argument in arguments)
