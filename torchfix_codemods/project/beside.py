"""Whether an import without a dot can only mean the module beside the file, as Python 2 took it."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.imports import resolve
from torchfix_codemods.project.paths import project_root, resolved
from torchfix_codemods.project.search_paths import may_be_on_path
from torchfix_codemods.text.repair import explain_syntax_error, repair_async

if TYPE_CHECKING:
    from torchfix_codemods.project.asked import ProjectFiles

_IMPORTED = lazy_pattern(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_ITSELF = lazy_pattern(rb"^[ \t]*(?:from|import)[ \t]+__init__\b", re.MULTILINE)

#: What says which libraries are installed, and which folders are searched.
_SETTINGS = lazy_pattern(
    r".*requirements?.*\.txt|(environment|conda).*\.ya?ml|setup\.(py|cfg)|pyproject\.toml|Pipfile"
    r"|.*\.(sh|bash|md|rst|cfg|ini)|\.travis\.yml|Makefile|Dockerfile|README"
)
_FOLDERS_ADDED = re.compile(r"PYTHONPATH|package_dir|pythonpath|addpath")
#: ``"layers>=1.0"`` of a list, and ``layers = "1.0"`` of a table.
_REQUIRED_THERE = lazy_pattern(r"(?:^[ \t]*|['\"])([\w.-]+)[ \t]*(?:[=<>~!\[;'\"]|$)", re.MULTILINE)
_MOST_BYTES = 1_000_000

#: Modules of Python 3 that no file has a chance to hide: it has them before it runs one.
LOADED_FIRST = frozenset(
    "abc builtins codecs errno gc io itertools marshal os stat sys time".split()
)


def names_beside(data: bytes, path: Path) -> bool:
    """Whether a file may import what is beside it as only Python 2 does, at a glance.

    That is one of a package, or what is called as a module that Python 3 has loaded by then.

    Args:
        data: what is in the file.
        path: the file.
    """
    folder = os.path.dirname(path)
    if b"import" not in data:
        return False
    names = {os.fsdecode(name) for name in _IMPORTED.findall(data)} - {path.stem}
    if not os.path.isfile(os.path.join(folder, "__init__.py")):
        names &= LOADED_FIRST
    return any(
        os.path.isfile(os.path.join(folder, f"{name}.py"))
        or os.path.isfile(os.path.join(folder, name, "__init__.py"))
        for name in names
    )


def is_found_elsewhere(name: str, taken: Collection[str], path: Path, index: ProjectFiles) -> bool:
    """Whether Python 3 may find what a file of a package has beside it; a doubt counts as yes.

    Its folder may be on the path, or where scripts run; another folder may have a module of that
    name, and so may what is installed.

    Args:
        name: what is imported, up to its first dot.
        taken: the names that are taken from it; none where that may be any.
        path: the file, its path resolved.
        index: the project.
    """
    folder, root = path.parent, project_root(path.parent)
    files = [resolved(Path(file)) for file in index.texts.files_below(root)]
    if not files or (folder / "setup.py").exists():
        return True
    if any(_ITSELF.search(index.read(file)) for file in files):
        return True
    module = folder / f"{name}.py"
    if _is_python2(index.read(path)) or _is_python2(index.read(module)):
        # No Python 3 ran either of them, wherever it looks.
        return False

    def has_others(home: Path) -> bool:
        """Whether the module of a folder is another one, which has not what is taken."""
        other = home / f"{name}.py"
        may_have = all(index.texts.may_bind(other, each) for each in taken)
        return other != module and other.is_file() and not may_have

    homes = {home for file in files for home in _homes(name, file, root)}
    homes = {home for home in homes if not has_others(home)}
    if any(_may_run_in(home, root) for home in homes):
        return True
    added = _lines_about_path(root)
    if any(may_be_on_path(home, files, index) or _names(added, home) for home in homes):
        return True
    if taken and module.is_file() and all(index.texts.may_bind(module, each) for each in taken):
        # No library has a module of that name with just these in it.
        return False
    return name in _required(root) or any(_takes_another(name, f, path, index) for f in files)


def _is_python2(data: bytes) -> bool:
    """Whether Python 3 cannot read a file, and Python 2 can."""
    text, _ = repair_async(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return explain_syntax_error(text, error)[0] == "python2"
    except (ValueError, RecursionError, MemoryError):
        pass
    return False


def _homes(name: str, file: Path, root: Path) -> Iterator[Path]:
    """The folders from which a name leads to a file."""
    home = root
    for part in file.relative_to(root).parts if file.is_relative_to(root) else ():
        if part.removesuffix(".py") == name:
            yield home
        home /= part


def _may_run_in(folder: Path, root: Path) -> bool:
    """Whether what is in a folder is found by scripts that are run there, or at the top."""
    if folder == root or folder == root / "src":
        return True
    return not (folder / "__init__.py").is_file() and any(folder.glob("*.py"))


def _takes_another(name: str, file: Path, path: Path, index: ProjectFiles) -> bool:
    """Whether a file of another folder imports a name that is no module of the project for it."""
    if file.parent == path.parent or name.encode() not in index.read(file):
        return False
    wanted = rb"^[ \t\"]*(?:from[ \t]+|import[ \t]+(?:[^#\n]*,[ \t]*)?)%s\b" % name.encode()
    if re.search(wanted, index.read(file), re.MULTILINE) is None:
        return False
    found = resolve(name, file)
    return found is None or found.parent in (path.parent, path.parent / name)


def _required(root: Path) -> frozenset[str]:
    """What the project requires, as imports may call it."""
    found: set[str] = set()
    for file, text in _settings(root):
        if file.suffix in (".txt", ".yml", ".yaml"):
            found.update(re.findall(r"^[ \t-]*([\w.-]+)", text, re.MULTILINE))
        elif file.suffix in (".py", ".toml", ".cfg") or file.name == "Pipfile":
            found.update(_REQUIRED_THERE.findall(text))
    return frozenset(name.replace("-", "_") for name in found)


def _lines_about_path(root: Path) -> list[str]:
    """The lines of scripts and settings that say where modules are looked for."""
    return [
        line
        for _, text in _settings(root)
        for line in text.splitlines()
        if _FOLDERS_ADDED.search(line) is not None
    ]


def _names(lines: list[str], folder: Path) -> bool:
    word = re.compile(rf"\b{re.escape(folder.name)}\b")
    return any(word.search(line) is not None for line in lines)


def _settings(root: Path) -> Iterator[tuple[Path, str]]:
    for folder in (root, *(f for f in root.iterdir() if f.is_dir() and not f.is_symlink())):
        try:
            entries = sorted(folder.iterdir()) if not folder.name.startswith(".") else []
        except OSError:
            continue
        for file in entries:
            try:
                if _SETTINGS.fullmatch(file.name) and file.stat().st_size < _MOST_BYTES:
                    yield file, file.read_text("utf-8", errors="replace")
            except OSError:
                continue
