"""From paths on the command line to the files to work on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

#: Folders that never hold a project's own sources.
_NEVER = frozenset(
    """.git .hg .svn .tox .nox .venv venv .eggs __pycache__ build dist node_modules site-packages
    .mypy_cache .pytest_cache .ruff_cache .ipynb_checkpoints""".split()
)
_SUFFIXES = (".py", ".pyw")


class Patterns:
    """Patterns in the syntax of ``.gitignore``, relative to a folder.

    What lies outside the folder matches nothing, or with ``anywhere`` by its last name.
    """

    def __init__(self, lines: Iterable[str], base: Path, anywhere: bool = False) -> None:
        self._lines = [line for line in lines if line.strip()]
        self._base = os.path.abspath(base)
        self._anywhere = anywhere
        self._spec: object = None

    def match(self, path: Path, folder: bool = False) -> bool:
        """Whether a file (or a folder) is meant."""
        if not self._lines:
            return False
        import pathspec

        if self._spec is None:
            self._spec = pathspec.GitIgnoreSpec.from_lines(self._lines)
        assert isinstance(self._spec, pathspec.GitIgnoreSpec)
        relative = os.path.relpath(os.path.abspath(path), self._base)
        if relative == ".":
            return False
        if relative.startswith(".."):
            if not self._anywhere:
                return False
            relative = os.path.basename(path)
        relative = relative.replace(os.sep, "/")
        return self._spec.match_file(relative + "/" if folder else relative)


def python_files(paths: Iterable[Path], root: Path, exclude: Iterable[str]) -> Iterator[Path]:
    """Yield the Python files that ``paths`` mean, each once, in a fixed order.

    A file named on the command line is taken whatever its suffix, unless ``exclude`` names it (as
    pre-commit passes files one by one). Folders are searched without what ``.gitignore`` files
    in them and above them hide; a folder that is itself hidden but named is searched all the same.

    Args:
        paths: existing files and folders.
        root: the folder that the patterns of ``exclude`` are relative to.
        exclude: patterns in the syntax of ``.gitignore``.
    """
    excluded = Patterns(exclude, root, anywhere=True)
    seen: set[Path] = set()
    for path in paths:
        candidates = _search(path, excluded) if path.is_dir() else [path]
        for candidate in candidates:
            if candidate not in seen and not excluded.match(candidate):
                seen.add(candidate)
                yield candidate


def _search(folder: Path, excluded: Patterns) -> Iterator[Path]:
    ignores = [Patterns(_gitignore(parent), parent) for parent in _project_folders(folder)]
    if any(_hides_folder(patterns, folder) for patterns in ignores):
        ignores = []
    for where, folders, files in os.walk(folder):
        here = Path(where)
        if here != folder:
            ignores.append(Patterns(_gitignore(here), here))
        folders[:] = sorted(
            name
            for name in folders
            if name not in _NEVER
            and not (here / name).is_symlink()
            and not any(p.match(here / name, folder=True) for p in (excluded, *ignores))
        )
        for name in sorted(files):
            if name.endswith(_SUFFIXES) and not any(p.match(here / name) for p in ignores):
                yield here / name


def _hides_folder(patterns: Patterns, folder: Path) -> bool:
    resolved = folder.resolve()
    return any(patterns.match(part, folder=True) for part in [resolved, *resolved.parents[:-1]])


def _project_folders(folder: Path) -> list[Path]:
    """``folder`` and its parents up to the root of its git checkout."""
    resolved = folder.resolve()
    chain = [resolved, *resolved.parents]
    for index, parent in enumerate(chain):
        if (parent / ".git").exists():
            return chain[: index + 1]
    return chain[:1]


def _gitignore(folder: Path) -> list[str]:
    try:
        return (folder / ".gitignore").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []
