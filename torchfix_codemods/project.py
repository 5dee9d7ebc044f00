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
    return words is None or bool(words.get(os.fsencode(name), frozenset()) - {str(path.resolve())})


def is_used_elsewhere(path: Path, name: str, depth: int = 3) -> bool:
    """Whether another file may take ``name`` from ``path``; a doubt counts as yes.

    That is ``from path import name``, ``path.name`` after an import of the module, and a star
    import in a file that speaks of the name without an import of its own, or that passes it on.
    """
    if path.stem == "__init__" or depth == 0:
        return True
    words = _imported_words(project_root(path.parent))
    if words is None:
        return True
    importers = words.get(os.fsencode(path.stem), frozenset()) - {str(path.resolve())}
    return any(_takes(_bytes_of(file), path.stem, name, Path(file), depth) for file in importers)


def is_mentioned(path: Path, name: str) -> bool:
    """Whether any Python file of the project of ``path`` holds a name; a doubt counts as yes."""
    return _holds(project_root(path.parent), name)


@functools.cache
def _holds(root: Path, name: str) -> bool:
    files = _python_files(root)
    word = name.encode()
    return files is None or any(word in _bytes_of(file) for file in files)


def _takes(data: bytes, stem: str, name: str, importer: Path, depth: int) -> bool:
    """Whether a file with an import line that holds ``stem`` takes ``name`` from that module."""
    module, wanted = re.escape(os.fsencode(stem)), re.escape(name.encode())
    mentions = re.search(rb"\b%s\b" % wanted, data) is not None
    listed = rb"^[ \t]*from[ \t]+[\w.]*\b%s\b[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)" % module
    for names in re.findall(listed, data, re.MULTILINE):
        if re.search(rb"\b%s\b" % wanted, names):
            return True
        if b"*" in names:
            own = rb"^[ \t]*(?:from[ \t]+torch[\w.]*[ \t]+)?import\b[^\n]*\b%s\b" % wanted
            if mentions and not re.search(own, data, re.MULTILINE):
                return True
            if is_used_elsewhere(importer, name, depth - 1):
                return True
    whole = rb"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[^\n]*\b%s\b(?:[ \t]+as[ \t]+(\w+))?"
    for alias in re.findall(whole % module, data, re.MULTILINE):
        if re.search(rb"\b%s\s*\.\s*%s\b" % (alias or module, wanted), data):
            return True
    return False


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
    files = _python_files(root)
    if files is None:
        return None
    table: dict[bytes, set[str]] = {}
    for path in files:
        data = _bytes_of(path)
        if path.endswith(".ipynb"):
            data = data.replace(b'"', b"\n")
        for line in _IMPORT.findall(data):
            for word in _WORD.findall(line):
                table.setdefault(word, set()).add(path)
    return {word: frozenset(paths) for word, paths in table.items()}


@functools.cache
def _python_files(root: Path) -> list[str] | None:
    """The Python files and notebooks below ``root``; None where they are too many."""
    found: list[str] = []
    for where, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "site-packages"]
        found += [os.path.join(where, f) for f in files if f.endswith((".py", ".ipynb"))]
        if len(found) > _MOST_FILES:
            return None
    return found
