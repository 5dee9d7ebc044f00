"""Another folder for what a run makes of files, which stay as they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torchfix_codemods.documents.kinds import decode_file
from torchfix_codemods.finding import FileError, FileResult
from torchfix_codemods.runs.writing import note_age
from torchfix_codemods.settings.config import Settings


class OutputError(Exception):
    """A folder that files cannot be written to; the message says why."""


class Output:
    """A folder that gets all files of a run, those that do not change included.

    Each stands where it stood below the folder that all of the paths are in: of a single folder
    that is this folder itself.

    Args:
        folder: the folder; it is made when the first file is written.
        paths: what the run was asked for.
        settings: those of the run.

    Raises:
        OutputError: the files are there already, or it is no folder.
    """

    def __init__(self, folder: Path, paths: Sequence[Path], settings: Settings) -> None:
        self.folder = folder
        self._settings = settings
        folders = [path if path.is_dir() else path.parent for path in paths]
        try:
            self._base = Path(os.path.commonpath([each.resolve() for each in folders]))
        except ValueError as error:
            raise OutputError("the paths are on several drives") from error
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder} is no folder")
        if folder.resolve() == self._base:
            raise OutputError(f"{folder} is where the files are: name another folder")

    def place(self, path: str | Path) -> Path:
        """Where a file of the run is written to."""
        folder, name = os.path.split(path)
        # Its folder may be reached through links, and the file be one.
        real = os.path.join(os.path.realpath(folder or os.curdir), name)
        return self.folder / os.path.relpath(real, self._base)

    def write(self, result: FileResult) -> FileResult:
        """Write the file of a result, as it is now or as it became.

        Returns:
            the result; one that tells the error where the file cannot be written, or is not any
            more what the result was made from.
        """
        if any(error.kind in ("missing", "unreadable") for error in result.errors):
            return result
        source, target = Path(result.path), self.place(result.path)
        try:
            data = source.read_bytes()
            if result.after is not None:
                read = decode_file(source, data)
                if read.text != result.before:
                    raise OutputError("changed on disk meanwhile; not written")
                data = read.encode(result.after)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(source, target)
            note_age(result, self._settings, target)
        except (OSError, OutputError) as error:
            said = getattr(error, "strerror", None) or str(error)
            failed = FileError("unwritable", f"cannot be written to {target}: {said}")
            return replace(result, errors=(*result.errors, failed))
        return result
