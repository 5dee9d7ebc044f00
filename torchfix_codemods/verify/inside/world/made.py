"""What a run makes outside of its copy is taken away at its end: the next one finds what it found.

A program that makes a folder of its own, by the time or by a fixed name, would fail when it is
run again.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from . import guard

#: The list of it, in the folder of the record: paths that end with a zero.
_LIST = "made"


def install(tree: str, folder: str) -> None:
    """List what is made from now on.

    Args:
        tree: the copy of the project.
        folder: where the record goes.
    """
    # Beside the record lies what one run hands on to another.
    work = os.path.dirname(os.path.realpath(folder))
    own = tuple(os.path.join(path, "") for path in (os.path.realpath(tree), work))
    made: set[str] = set()

    def note(path: str) -> None:
        if path in made or path.startswith(own) or os.path.lexists(path):
            return
        made.add(path)
        file = os.open(os.path.join(folder, _LIST), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, os.fsencode(path) + b"\0")
        os.close(file)

    def heard(event: str, paths: list[Any]) -> None:
        if not all(isinstance(path, (str, bytes, os.PathLike)) for path in paths):
            return
        *_, source, target = map(_real, [paths[0], *paths])
        if event != "os.rename":
            note(target)
            return
        # What was there before stays, under its new name as well.
        for path in [path for path in made if path == source or path.startswith(source + os.sep)]:
            note(target + path[len(source) :])

    guard.tell_of_making(heard)


def take_away(folder: str) -> None:
    """Remove what a run has made.

    Args:
        folder: where its record went.
    """
    try:
        with open(os.path.join(folder, _LIST), "rb") as file:
            made = {os.fsdecode(path) for path in file.read().split(b"\0") if path}
    except OSError:
        return
    # What is in a folder comes before the folder.
    for path in sorted(made, reverse=True):
        is_folder = os.path.isdir(path) and not os.path.islink(path)
        with contextlib.suppress(OSError):
            (os.rmdir if is_folder else os.unlink)(path)


def _real(path: Any) -> str:
    whole = os.path.abspath(os.fsdecode(path))
    return os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
