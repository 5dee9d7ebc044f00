"""Iterators of Python 2 keep the method `next`, where files that stay as they are call it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.values.inference import Files


def is_next_called(files: Files | None) -> bool:
    """Whether a file of the project that Python 3 can read calls ``iterator.next()``.

    Others are converted themselves, and say ``next(iterator)`` then.
    """
    others = None if files is None else files.mentioning("next")
    return any(
        other.inference is not None and other.inference.names.method_calls("next")
        for other in others or ()
    )


def with_next(text: str) -> str:
    """The text with ``next = __next__`` in each class that has only the new name.

    Args:
        text: a module of Python 3.
    """
    lines = text.split("\n")
    methods = [
        method
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef) and not _binds_next(node)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__next__"
    ]
    for method in sorted(methods, key=lambda method: -method.lineno):
        end = method.end_lineno or method.lineno
        header = lines[method.lineno - 1]
        indent = header[: len(header) - len(header.lstrip())]
        ending = "\r" if header.endswith("\r") else ""
        lines[end:end] = [ending, f"{indent}next = __next__{ending}"]
    return "\n".join(lines)


def _binds_next(node: ast.ClassDef) -> bool:
    return any(
        getattr(statement, "name", "") == "next"
        or (isinstance(statement, ast.Assign) and "next" in map(ast.unparse, statement.targets))
        for statement in node.body
    )
