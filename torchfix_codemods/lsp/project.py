"""What is known of the project around the files in an editor, from one look to the next."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from torchfix_codemods.finding import FileResult, Noted
from torchfix_codemods.runs.discovery import is_meant
from torchfix_codemods.runs.limits import TimeUpError, time_limit
from torchfix_codemods.runs.runner import index_beside, migrate_bytes
from torchfix_codemods.settings.config import Settings

if TYPE_CHECKING:
    from torchfix_codemods.project.index import Index

#: What keeps the work on a file from its end, in the midst of a question about another one.
_BROKEN_OFF = ("timeout", "internal")

#: So many texts are open at a time, and their last versions.
_MOST_RESULTS = 32

#: More than that would be seen by who types.
_SECONDS_TO_LOOK_ROUND = 0.3


class Project:
    """The files of the project that was asked for last.

    To read and parse them takes longer than the work on the one that is typed in. They stay known
    until a file of the project is another one than it was.
    """

    def __init__(self) -> None:
        self._key: tuple[Path, str, Settings] | None = None
        self._index: Index | None = None
        self._results: dict[tuple[Path, str], FileResult] = {}
        """What was found in the last texts, while no file of the project changed."""
        self._large: set[Path] = set()
        """Folders with too many files to look at them all each time: a whole home, or disk."""

    def migrated(
        self,
        text: str,
        path: Path,
        settings: Settings,
        accepts: Callable[[int, str], bool] | None = None,
        noted: Noted | None = None,
    ) -> FileResult:
        """What :func:`torchfix_codemods.api.migrate_text` gives.

        Args:
            text: the content of a file.
            path: the file that holds it, or will.
            settings: what to apply; they name rules and versions that there are.
            accepts: tells whether a rewrite is wanted, by its line and the code of its rule.
            noted: gets what is rewritten so far, as of
                :func:`torchfix_codemods.runs.runner.migrate_bytes`.
        """
        if is_meant(path, settings.exclude, settings.root):
            return FileResult(str(path))
        index = self._entered(path, settings)
        if accepts is None and (path, text) in self._results:
            return self._results[path, text]
        data = text.encode("utf-8", "surrogatepass")
        result = migrate_bytes(data, path, settings, accepts, index, noted)
        if any(error.kind in _BROKEN_OFF for error in result.errors):
            self._key = None
        elif accepts is None and self._key is not None:
            self._keep(path, text, result)
        return result

    def _keep(self, path: Path, text: str, result: FileResult) -> None:
        """Keep a result for who closes a file and opens it again, or undoes what was typed."""
        while len(self._results) >= _MOST_RESULTS:
            del self._results[next(iter(self._results))]
        self._results[path, text] = result

    def _entered(self, path: Path, settings: Settings) -> Index:
        from torchfix_codemods.project.paths import project_root

        root = project_root(path.parent)
        digest = self._digest(root)
        key = None if digest is None else (root, digest, settings)
        if self._index is None or key is None or key != self._key:
            self._index = index_beside(settings)
            self._results.clear()
        self._key = key
        self._index.enter(path)
        return self._index

    def _digest(self, root: Path) -> str | None:
        """A digest of what the project's files are; None where that cannot be said soon."""
        from torchfix_codemods.project.paths import project_digest

        if root in self._large:
            return None
        try:
            with time_limit(_SECONDS_TO_LOOK_ROUND):
                return project_digest(root, os.stat)
        except TimeUpError:
            self._large.add(root)
            return None


def warm_up() -> None:
    """Import all that the first look needs, which takes longer than the look itself."""
    # Beside nothing else: in the folder where the editor was started there may be a whole home.
    with TemporaryDirectory(prefix="torchfix-") as folder:
        data = b"import torch\ny = torch.ger(a, b)\n"
        migrate_bytes(data, Path(folder, "text.py"), Settings())
    # Modules and tables stay: to search them for garbage again takes as long as two looks.
    gc.freeze()
