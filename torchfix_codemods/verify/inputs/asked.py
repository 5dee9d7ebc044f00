"""The functions and methods that changes are in, and what is known of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.runs.chosen import options_for
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.verify.changes.spans import Range
from torchfix_codemods.verify.hunks import Change, FileChange, Hunk
from torchfix_codemods.verify.inputs.parameters import examples_of, parameters_of

Asked = dict[str, Any]
"""What :mod:`torchfix_codemods.verify.inside.replay.searching` is told of a function."""

#: Where a change is that no call of a function comes to.
AT_THE_MARGIN = "it is in no function of its file, and nothing runs the file"


def functions_asked(
    change: Change, base: Path, keys: Mapping[str, Mapping[str, Any]], side: int = 0
) -> tuple[list[Asked], dict[str, list[str]]]:
    """The functions around all hunks.

    Args:
        change: the two versions.
        base: the project's folder.
        keys: the lines that are watched, by path and key.
        side: 0 for the version before, 1 for the one after.

    Returns:
        what is asked of each function; and by the key of a hunk the functions that it is in, as
        ``path:name``.
    """
    asked: dict[str, Asked] = {}
    by_hunk: dict[str, list[str]] = {hunk.key: [] for hunk in change.hunks}
    for file in change.files:
        text = (file.before, file.after)[side]
        try:
            options = options_for(base / file.path, Settings())
            facts = facts_of(text, options)
        except (SyntaxError, OSError, ValueError):
            continue
        for owner, node in _functions(facts.tree):
            name = node.name if owner is None else f"{owner.name}.{node.name}"
            span = _span(node)
            inside = [
                hunk for hunk in change.hunks if hunk.path == file.path and _in(hunk, span, side)
            ]
            if not inside:
                continue
            own = [
                key
                for key, lines in keys.get(file.path, {}).items()
                if any(first <= span[1] and span[0] < last for first, last in lines)
            ]
            for hunk in inside:
                by_hunk[hunk.key].append(f"{file.path}:{name}")
            asked[f"{file.path}:{name}"] = _asked(facts, file, owner, node, own)
    return list(asked.values()), by_hunk


def _asked(
    facts: Facts,
    file: FileChange,
    owner: ast.ClassDef | None,
    node: ast.FunctionDef,
    keys: list[str],
) -> Asked:
    parameters = parameters_of(facts, node)
    classes = [node.name for node in facts.tree.body if isinstance(node, ast.ClassDef)]
    result: Asked = {"path": file.path, "parameters": parameters, "keys": keys, "class": None}
    result["classes"] = classes
    if owner is None:
        return {**result, "name": node.name, "examples": examples_of(facts.tree, node.name)}
    methods = {n.name: n for n in owner.body if isinstance(n, ast.FunctionDef)}
    of_class: dict[str, Any] = {"name": owner.name, "examples": examples_of(facts.tree, owner.name)}
    for key, method in (("parameters", "__init__"), ("forward", "forward")):
        found = methods.get(method)
        of_class[key] = {} if found is None else parameters_of(facts, found)
    for known in of_class["parameters"].values():
        known["is_of_constructor"] = True
    return {**result, "name": f"{owner.name}.{node.name}", "class": of_class}


def _functions(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            yield from ((node, m) for m in node.body if isinstance(m, ast.FunctionDef))


def _span(node: ast.FunctionDef) -> Range:
    """The lines of a function with its decorators, counted from 0."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first - 1, node.end_lineno or node.lineno


def _in(hunk: Hunk, span: Range, side: int) -> bool:
    """Whether a part of a hunk is in a function; what is new stands before a line of the old."""
    ranges = [part[side] for part in hunk.parts]
    return any(start < span[1] and span[0] < max(end, start + 1) for start, end in ranges)
