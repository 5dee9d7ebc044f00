"""What programs call: a text or files in, what became of them out. The command does the same."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchfix_codemods.documents.kinds import suffixes
from torchfix_codemods.finding import FileError, FileResult, Finding, Numerics, Place
from torchfix_codemods.record import record
from torchfix_codemods.runs.discovery import Patterns, Wanted, is_meant, leads_nowhere, python_files
from torchfix_codemods.runs.runner import Progress, migrate_bytes, migrate_files
from torchfix_codemods.settings.config import ConfigError, Settings, folder_of_settings
from torchfix_codemods.settings.nearest import Nearest
from torchfix_codemods.settings.pyproject import read_settings
from torchfix_codemods.settings.selectors import check_settings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from torchfix_codemods.runs.output import Output

__all__ = [
    "ConfigError",
    "FileError",
    "FileResult",
    "Finding",
    "Numerics",
    "Place",
    "Settings",
    "check_text",
    "migrate_paths",
    "migrate_text",
    "read_settings",
]

#: The name of a text that has none.
UNNAMED = "<text>"


def migrate_text(
    text: str | bytes,
    *,
    path: str | os.PathLike[str] = UNNAMED,
    settings: Settings | None = None,
    accepts: Callable[[int, str], bool] | None = None,
) -> FileResult:
    """Migrate the content of one file. Nothing is written.

    Args:
        text: the content; bytes are decoded as Python does it.
        path: the file that holds it, or will. Its end says what the content is (``.ipynb``: a
            notebook), and the other files of its project are asked about its imports. The file need
            not exist.
        settings: what to apply; None: what the project around ``path`` asks for.
        accepts: tells whether a rewrite is wanted, by its line, counted from 1, and the code of its
            rule; None: all are.

    Returns:
        the result. ``after`` is the new text and ``after_bytes`` the same as bytes, both None
        where nothing changes. What went wrong is in ``errors``; the text is left as it is then.

    Raises:
        ConfigError: the settings cannot be read, or name a rule or version that there is none of.
    """
    place = Path(path)
    settings = _checked(settings, place.parent)
    if is_meant(place, settings.exclude, settings.root):
        return FileResult(str(place))
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return migrate_bytes(data, place, settings, accepts)


def check_text(
    text: str | bytes,
    *,
    path: str | os.PathLike[str] = UNNAMED,
    settings: Settings | None = None,
) -> FileResult:
    """Find what :func:`migrate_text` would rewrite, and all advice.

    Args:
        text: the content of a file.
        path: the file that holds it, or will.
        settings: what to apply; None: what the project around ``path`` asks for.

    Returns:
        the result without texts: ``findings``, of which ``fixed`` are those that would be
        rewritten, and ``errors``.

    Raises:
        ConfigError: the settings cannot be read, or name a rule or version that there is none of.
    """
    result = migrate_text(text, path=path, settings=settings)
    return replace(result, before=None, after=None, changes=None)


def migrate_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    settings: Settings | None = None,
    write: bool = False,
    output: str | os.PathLike[str] | None = None,
    jobs: int = 1,
) -> list[FileResult]:
    """Migrate files, and those in folders.

    Args:
        paths: files and folders. Folders are searched as the command does it.
        settings: what to apply; None: for each file what the pyproject.toml nearest to it asks for.
        write: whether changed files are written back.
        output: a folder that all files are written to, changed or not, in place of that.
        jobs: how many processes; 0: as many as pay.

    Returns:
        a result for each file, also for those without anything to say, and for paths that lead
        to nothing.

    Raises:
        ConfigError: the settings cannot be read, or name a rule or version that there is none of;
            or ``output`` is where the files are.
    """
    places = [Path(path) for path in paths]
    if not places:
        return []
    given: dict[str, Any] | None = {} if settings is None else None
    settings = _checked(settings, folder_of_settings(places))
    target = None if output is None else output_of(Path(output), places, settings)
    found = files_of(places, settings, None if target is None else target.folder, given)
    done = migrate_each(found.files, found.settings, write=write, target=target, jobs=jobs)
    return [*found.unread, *done]


@record
class Found:
    """The files that some paths mean, and a result for each path that cannot be looked at."""

    files: list[Path]
    unread: list[FileResult]
    settings: Settings
    """Those of the run, which know the ones nearest to each file."""


def files_of(
    paths: Sequence[Path],
    settings: Settings,
    without: Path | None = None,
    given: Mapping[str, Any] | None = None,
) -> Found:
    """The files that paths mean, each once.

    Args:
        paths: files and folders.
        settings: those of the run.
        without: none of the files in this folder is meant.
        given: what goes over the settings nearest to each file; None: ``settings`` hold for all.

    Raises:
        ConfigError: settings of a folder cannot be read.
    """
    nearest = Nearest(settings, given)

    @functools.cache
    def patterns(own: Settings) -> Wanted:
        return Wanted(Patterns(own.exclude, own.root, anywhere=True), suffixes(own))

    unread = [_unread(path) for path in paths if not os.path.exists(path)]
    files = python_files(
        [path for path in paths if os.path.exists(path)],
        settings.root,
        settings.exclude,
        suffixes(settings),
        lambda error: unread.append(_unread(Path(error.filename))),
        lambda folder: patterns(nearest.of(folder)),
        lambda path: unread.append(FileResult(str(path), skipped=_leading_nowhere(path))),
    )
    inside = None if without is None else os.path.join(os.path.realpath(without), "")
    kept = [p for p in files if inside is None or not os.path.realpath(p).startswith(inside)]
    known: dict[str, FileResult] = {}
    for result in unread:
        known.setdefault(os.path.abspath(result.path), result)
    return Found(kept, [*known.values()], nearest.all())


def migrate_each(
    files: Sequence[Path],
    settings: Settings,
    *,
    write: bool = False,
    target: Output | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Iterator[FileResult]:
    """The results of files, one by one, each when it is done; see :func:`migrate_paths`.

    Args:
        executor: what to run on instead of processes of this machine.
        progress: called with the number of files done since the last call.
    """
    results = migrate_files(
        files,
        settings,
        write=write and target is None,
        jobs=jobs,
        executor=executor,
        progress=progress,
    )
    return results if target is None else map(target.write, results)


def output_of(folder: Path, paths: Sequence[Path], settings: Settings) -> Output:
    """Where the files that some paths mean are written to, below ``folder``.

    Raises:
        ConfigError: they are there already, or it is no folder.
    """
    from torchfix_codemods.runs.output import Output, OutputError

    try:
        return Output(folder, paths, settings)
    except OutputError as error:
        raise ConfigError(str(error)) from error


def _checked(settings: Settings | None, folder: Path) -> Settings:
    if settings is None:
        return read_settings(folder)
    check_settings(settings, "Settings")
    return settings


def _leading_nowhere(path: Path) -> str:
    return f"a link to {os.readlink(path)}, which is not there"


def _unread(path: Path) -> FileResult:
    """The result for a path that leads to nothing, or to what may not be read."""
    kind, reason = "missing", "no such file or folder"
    if leads_nowhere(path):
        reason = _leading_nowhere(path)
    try:
        os.scandir(path).close()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        kind, reason = "unreadable", error.strerror or str(error)
    return FileResult(str(path), errors=(FileError(kind, reason),))
