"""Results of earlier runs, kept in the user's cache folder as one small JSON file each.

A result is taken where all is the same that it was made from: the bytes of the file and where it
lies, the settings, the tool and its Python, and, where other files of the project were asked, what
is in the project. Entries are only ever read as JSON and written whole, so any number of processes
can share a folder, and an entry that cannot be read counts as none.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from torchfix_codemods import version
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import (
    FileError,
    FileResult,
    Finding,
    LineChange,
    Numerics,
    Place,
    Rank,
    Reason,
)
from torchfix_codemods.project.kept_ages import forget
from torchfix_codemods.record import record, tuples
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.source import Source
from torchfix_codemods.version import __version__

_FORMAT = 6
_DAY = 86_400
_KEPT_FOR = 30 * _DAY

#: The names of entries: those of their folder, and of their file.
_KEY = re.compile("[0-9a-f]{64}")
#: Says when old entries were looked for.
_STAMP = "pruned"

#: Mistakes of the tool and of the machine may be gone the next time.
_PASSING_ERRORS = frozenset(
    {"internal", "unreadable", "unwritable", "missing", "library", "python2", "timeout"}
)


def clear(folder: Path) -> int:
    """Remove all results and notes, and the folder where nothing else is in it.

    Returns:
        how many there were.

    Raises:
        OSError: something cannot be removed.
    """
    forget(folder)
    kept = [*_entries(folder), *_entries(folder, "")]
    if folder.is_dir():
        kept.append(folder / _STAMP)
    for file in kept:
        file.unlink(missing_ok=True)
    for below in {file.parent for file in kept}:
        _remove_empty(below)
    _remove_empty(folder)
    return sum(file.suffix == ".json" for file in kept)


@record
class Asked:
    """What a result was made from besides its own file: digests, or None for "not asked"."""

    project: str | None = None
    """Of all files of the project that can decide about a rewrite."""
    run: str | None = None
    """Of the list of files that the run was about."""
    age: str | None = None
    """Of what can be known of the age of the file besides what is in it."""


@record
class Entry:
    """A result as it was kept."""

    asked: Asked
    values: Any

    def result(self, path: Path, source: Source) -> FileResult | None:
        """The result for a file; None where the entry is not as expected.

        Args:
            path: the file.
            source: what is in it.
        """
        values = self.values
        try:
            after = values["after"]
            if after is not None and not isinstance(after, str):
                return None
            return FileResult(
                str(path),
                tuple(_finding(each) for each in values["findings"]),
                tuple(_error(each) for each in values["errors"]),
                None if after is None else source.text,
                after,
                Era(**{name: tuples(value) for name, value in values["era"].items()}),
                source.encoding,
                source.bom,
                values["skipped"],
                tuple((file, digest) for file, digest in values["drawn_from"]),
                values["waits"],
                tuple(_finding(each) for each in values["passed"]),
                _changes(values["changes"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return None


class Cache:
    """The results of one run's settings.

    Args:
        folder: where they are kept.
        settings: what is applied.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self._common = _common(settings).encode()

    def key(self, path: Path, data: bytes) -> str:
        """The name of the entry for a file with these bytes."""
        import hashlib

        from torchfix_codemods.project.own_libraries import own_libraries
        from torchfix_codemods.project.paths import resolved

        digest = hashlib.sha256(self._common)
        digest.update(repr(own_libraries(resolved(path))).encode())
        digest.update(os.fsencode(os.path.abspath(path)) + b"\0")
        digest.update(data)
        return digest.hexdigest()

    def read(self, key: str) -> Entry | None:
        """An entry; None where there is none that can be read."""
        import json

        file = self._file(key)
        try:
            values = json.loads(file.read_bytes())
            entry = Entry(Asked(values["project"], values["run"], values["age"]), values["result"])
            if time.time() - file.stat().st_mtime > _DAY:
                os.utime(file)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return entry

    def write(self, key: str, result: FileResult, asked: Asked) -> None:
        """Keep a result; where the folder cannot be written, nothing is kept."""
        if any(error.kind in _PASSING_ERRORS for error in result.errors):
            return
        import json

        entry = {**asdict(asked), "result": _as_json(result)}
        file = self._file(key)
        partial = file.with_suffix(f".{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(entry, separators=(",", ":")), "utf-8")
            partial.replace(file)
        except OSError:
            _remove([partial])

    def prune(self) -> None:
        """Once a day, remove what nobody asked for in a month."""
        stamp = self.folder / _STAMP
        now = time.time()
        try:
            if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            stamp.touch()
        except OSError:
            return
        _remove(file for file in _entries(self.folder) if _age(file, now) > _KEPT_FOR)

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"


def _as_json(result: FileResult) -> dict[str, Any]:
    return {
        "findings": [[*asdict(finding).values()] for finding in result.findings],
        "errors": [[*asdict(error).values()] for error in result.errors],
        "after": result.after,
        "era": asdict(result.era),
        "skipped": result.skipped,
        "drawn_from": result.drawn_from,
        "waits": result.waits,
        "passed": [[*asdict(finding).values()] for finding in result.passed],
        "changes": result.changes,
    }


def _finding(values: list[Any]) -> Finding:
    line, column, code, name, message, numerics, *rest, reason, loses, place, also = values
    why = None if reason is None else Reason(reason)
    more = (*map(tuples, rest), why, loses, _place(place), tuple(also))
    found = Finding(line, column, code, name, message, Numerics(numerics), *more)
    return replace(found, rank=Rank(found.rank))


def _error(values: list[Any]) -> FileError:
    *rest, place = values
    return replace(FileError(*rest), place=_place(place))


def _place(values: dict[str, Any] | None) -> Place | None:
    return None if values is None else Place(**values)


def _changes(values: list[Any] | None) -> tuple[LineChange, ...] | None:
    return None if values is None else tuple((a, b, c, d) for a, b, c, d in values)


@functools.lru_cache(maxsize=16)
def _common(settings: Settings) -> str:
    """What all results of a run have in common, the state of the tool's own files included."""
    own = []
    package = os.path.dirname(version.__file__)
    for where, folders, names in os.walk(package):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".py", ".json")):
                status = os.stat(os.path.join(where, name))
                own.append((where[len(package) :], name, status.st_size, status.st_mtime_ns))
    values = asdict(settings)
    for name in ("cache_dir", "timeout"):
        del values[name]
    return repr([_FORMAT, __version__, sys.version, own, sorted(values.items())])


def _entries(folder: Path, suffix: str = ".json") -> Iterator[Path]:
    """The files of entries, or with an empty suffix what processes that ended left of one.

    The user may have named a folder that holds other things: they are nobody's results.
    """
    for file in folder.glob(f"??/*{suffix or '.*'}"):
        is_entry = file.suffix == suffix or (not suffix and file.suffix[1:].isdigit())
        if is_entry and _KEY.fullmatch(file.parent.name + file.stem):
            yield file


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _age(file: Path, now: float) -> float:
    try:
        return now - file.stat().st_mtime
    except OSError:
        return 0.0


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError:
            continue
