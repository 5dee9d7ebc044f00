"""Copies of the user's project: every run starts in a fresh one, always at the same path."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

#: Folders that no program reads from.
_LEFT_OUT = frozenset(
    ".git .hg .svn __pycache__ .mypy_cache .ruff_cache .pytest_cache .tox .nox .idea".split()
)

#: Files above this size are data: they are linked, and nothing may write to them.
_LINKED_FROM = 16 * 1024 * 1024


def left_out(folder: Path) -> bool:
    """Whether a folder is not copied: version control, caches, virtual environments."""
    return folder.name in _LEFT_OUT or (folder / "pyvenv.cfg").exists()


Overrides = Mapping[str, "bytes | None"]


class Trees:
    """The place where a program is run.

    Args:
        base: the user's project.
        work: an empty folder.
    """

    def __init__(self, base: Path, work: Path) -> None:
        self.base = base.resolve()
        self._snapshot = work / "snapshot"
        self.tree = work / "run" / (self.base.name or "project")
        _copy(self.base, self._snapshot, self.base, work.resolve())

    def fresh(self, overrides: Overrides) -> Path:
        """A new copy of the project.

        Args:
            overrides: what files hold instead; None for those that are not there.

        Returns:
            its path, which is always the same one: programs print it.
        """
        if self.tree.exists():
            _remove(self.tree)
        _copy(self._snapshot, self.tree, self._snapshot, None)
        for name, data in overrides.items():
            path = self.tree / name
            if path.is_symlink() or path.exists():
                path.unlink()
            if data is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        return self.tree

    def within(self, path: str) -> str:
        """A word of the command: a path into the project becomes one into the copy."""
        if os.path.isabs(path):
            real = os.path.realpath(path)
            if real == str(self.base) or real.startswith(os.path.join(self.base, "")):
                return str(self.tree / os.path.relpath(real, self.base))
        return path


def _copy(source: Path, target: Path, root: Path, left_out: Path | None) -> None:
    target.mkdir(parents=True)
    for entry in _entries(source):
        path = Path(entry.path)
        copy = target / entry.name
        if entry.is_symlink():
            _copy_link(path, copy, root)
        elif entry.is_dir():
            if left_out is not None and path.resolve() == left_out:
                continue
            if (path / "pyvenv.cfg").exists():
                copy.symlink_to(path.resolve())
            else:
                _copy(path, copy, root, left_out)
        elif entry.is_file():
            if entry.stat().st_size > _LINKED_FROM:
                copy.symlink_to(path.resolve())
            else:
                shutil.copy2(path, copy)
                copy.chmod(copy.stat().st_mode | 0o600)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name not in _LEFT_OUT:
                yield entry


def _copy_link(path: Path, copy: Path, root: Path) -> None:
    target, real = os.readlink(path), os.path.realpath(path)
    stays = not os.path.isabs(target) and real.startswith(os.path.join(root, ""))
    copy.symlink_to(target if stays else real)


def _remove(tree: Path) -> None:
    def make_writable(function: object, path: str, error: object) -> None:
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o700)
        if os.path.isdir(path):
            os.rmdir(path)
        else:
            os.unlink(path)

    shutil.rmtree(tree, onerror=make_writable)
