"""Which parts of a change only make sense together across files: a name here, its import there."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from torchfix_codemods.verify.changes.spans import parsed

Texts = tuple[str, str]
"""Before and after."""

Need = tuple[str, str]
"""The last part of a module's name, and a name in that module."""


def linked(texts: Mapping[str, Texts], lines: Mapping[str, tuple[str, Texts]]) -> list[list[str]]:
    """The groups of hunks that give, import and use a name that only one version of a file has.

    Args:
        texts: the changed files.
        lines: by key of a hunk: its file, and the lines that it takes and brings.
    """
    groups: list[set[str]] = []
    for side in (0, 1):
        needs = {path: _needs(both[side]) for path, both in texts.items()}
        for path, both in texts.items():
            for name in _given(both[side]) - _given(both[1 - side]):
                need = (_module(path), name)
                users = [other for other in texts if other != path and need in needs[other]]
                found = set(_with_word(name, lines, [path, *users], side))
                if users and len({lines[key][0] for key in found}) > 1:
                    groups.append(found)
    return _united(groups)


def _united(groups: Sequence[set[str]]) -> list[list[str]]:
    """Groups without those that share a member."""
    result: list[set[str]] = []
    for group in groups:
        apart = [other for other in result if not other & group]
        result = [*apart, group.union(*(other for other in result if other & group))]
    return [sorted(group) for group in result]


def _with_word(
    name: str, lines: Mapping[str, tuple[str, Texts]], paths: Collection[str], side: int
) -> Iterator[str]:
    word = re.compile(rf"\b{re.escape(name)}\b")
    for key, (path, changed) in lines.items():
        if path in paths and word.search(changed[side]):
            yield key


def _module(path: str) -> str:
    """What an import calls a file in the end: ``models`` for ``src/models/__init__.py``."""
    pure = PurePosixPath(path.replace("\\", "/"))
    return pure.parent.name if pure.stem == "__init__" else pure.stem


def _given(text: str) -> set[str]:
    """The functions, classes and variables at the margin of a file."""
    names: set[str] = set()
    for statement in _tree(text).body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign):
            names |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return names


def _needs(text: str) -> set[Need]:
    """What a file takes from modules, by import or by ``module.name``."""
    needs: set[Need] = set()
    modules: dict[str, str] = {}
    attributes: list[tuple[str, str]] = []
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name] = alias.name.rpartition(".")[2]
        elif isinstance(node, ast.ImportFrom):
            last = (node.module or "").rpartition(".")[2]
            needs |= {(last, alias.name) for alias in node.names}
            modules.update({alias.asname or alias.name: alias.name for alias in node.names})
        elif isinstance(node, ast.Attribute):
            attributes.append((ast.unparse(node.value), node.attr))
    return needs | {(modules[owner], name) for owner, name in attributes if owner in modules}


def _tree(text: str) -> ast.Module:
    """What a file says; nothing, where nobody can read it."""
    return parsed(text) or ast.Module([], [])
