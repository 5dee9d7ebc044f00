"""What the rest of a project takes from a file: looked up only when a rewrite depends on it."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([^\n#]+)", re.MULTILINE)
_WORD = re.compile(rb"\w+")

#: A project of more files than this is not searched.
_MOST_FILES = 20_000


def is_imported_elsewhere(path: Path) -> bool:
    """Whether another file of the project may import from ``path``.

    Asked before something that other files could use is removed, so a doubt counts as yes: the
    module's name only has to stand in an import line of any Python file of the project.
    """
    name = path.stem
    if name == "__init__":
        return True
    words = _imported_words(project_root(path.parent))
    return words is None or bool(words.get(name.encode(), frozenset()) - {str(path.resolve())})


def is_used_elsewhere(path: Path, name: str) -> bool:
    """Whether a file that may import from ``path`` speaks of ``name``; a doubt counts as yes."""
    if path.stem == "__init__":
        return True
    words = _imported_words(project_root(path.parent))
    if words is None:
        return True
    mention = re.compile(rb"\b%s\b" % re.escape(name.encode()))
    importers = words.get(path.stem.encode(), frozenset()) - {str(path.resolve())}
    return any(mention.search(_bytes_of(importer)) is not None for importer in importers)


def _bytes_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


@functools.cache
def project_root(folder: Path) -> Path:
    """The checkout that a folder belongs to, or else the one around its outermost package."""
    folder = folder.resolve()
    for parent in [folder, *folder.parents]:
        if (parent / ".git").exists() or (parent / "setup.py").is_file():
            return parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


@functools.cache
def _imported_words(root: Path) -> dict[bytes, frozenset[str]] | None:
    """For every word in an import line below ``root``, the files that hold it."""
    table: dict[bytes, set[str]] = {}
    count = 0
    for where, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "site-packages"]
        for file in files:
            if not file.endswith((".py", ".ipynb")):
                continue
            count += 1
            if count > _MOST_FILES:
                return None
            path = os.path.join(where, file)
            data = _bytes_of(path)
            if file.endswith(".ipynb"):
                data = data.replace(b'"', b"\n")
            for line in _IMPORT.findall(data):
                for word in _WORD.findall(line):
                    table.setdefault(word, set()).add(path)
    return {word: frozenset(paths) for word, paths in table.items()}
