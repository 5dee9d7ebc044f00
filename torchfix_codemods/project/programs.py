"""Which files of a checkout belong to the same program, where it holds several side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.project.paths import project_root

if TYPE_CHECKING:
    from torchfix_codemods.project.texts import Texts

#: Of more files than these it is not asked which of them import each other.
_MOST_FILES = 1000

#: What imports a file by a name that is put together as the program runs.
_BY_NAME = (b"__import__", b"import_module")


class Programs:
    """The programs of the projects whose texts are at hand; each question is answered once.

    Args:
        texts: what the files of a project say of each other.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._joined: dict[Path, dict[str, str] | None] = {}
        self._answers: dict[tuple[str, str], bool] = {}

    def may_meet(self, path: Path, other: Path) -> bool:
        """Whether one program may run both of two files of a project; a doubt counts as yes.

        Files below two folders that stand side by side do not meet where no imports lead, in
        whichever direction, from a file below one of them to a file below the other, and what runs
        them imports nothing by a name that is put together.

        Args:
            path, other: the files, their paths resolved.
        """
        common = os.path.commonpath([path.parent, other.parent])
        if common in (str(path.parent), str(other.parent)):
            return True
        sides = sorted(_folder_below(common, each) for each in (path, other))
        key = sides[0], sides[1]
        if key not in self._answers:
            self._answers[key] = self._are_joined(*key, project_root(path.parent))
        return self._answers[key]

    def _are_joined(self, one: str, other: str, root: Path) -> bool:
        if root not in self._joined:
            self._joined[root] = self._join(root)
        joined = self._joined[root]
        if joined is None:
            return True
        own = _groups(joined, one), _groups(joined, other)
        return bool(own[0] & own[1]) or any(
            word in self._texts.read(file)
            for file, top in joined.items()
            if top in own[0] | own[1] or one.startswith(os.path.dirname(file) + os.sep)
            if not _is_below(one, file) and not _is_below(other, file)
            for word in _BY_NAME
        )

    def _join(self, root: Path) -> dict[str, str] | None:
        """For each file one that stands for all that are joined by imports; None: not known."""
        files = self._texts.files_below(root)
        if not 0 < len(files) <= _MOST_FILES:
            return None
        above = {file: file for file in map(os.path.realpath, files)}
        for file in tuple(above):
            importers = self._texts.importers(Path(file))
            if importers is None:
                return None
            for importer in map(os.path.realpath, importers):
                above[_top(above, file)] = _top(above, above.setdefault(importer, importer))
        return {file: _top(above, file) for file in above}


def _folder_below(common: str, path: Path) -> str:
    """The folder of those in ``common`` that a file lies below."""
    return os.path.join(common, path.relative_to(common).parts[0])


def _is_below(folder: str, file: str) -> bool:
    return file.startswith(folder + os.sep)


def _groups(joined: dict[str, str], folder: str) -> set[str]:
    return {top for file, top in joined.items() if _is_below(folder, file)}


def _top(above: dict[str, str], file: str) -> str:
    while above[file] != file:
        file = above[file]
    return file
