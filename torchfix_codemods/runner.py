"""Many files: what to read, what to skip unread, in how many processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.config import Settings
from torchfix_codemods.discovery import Patterns
from torchfix_codemods.finding import FileError, FileResult, Numerics
from torchfix_codemods.project import is_imported_elsewhere, is_mentioned, is_used_elsewhere
from torchfix_codemods.source import FileChangedError, SourceError, decode, write_atomically

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from torchfix_codemods.migrate import Options
    from torchfix_codemods.rule import Rule

#: Below this many bytes of torch code, starting processes costs more than it saves.
_POOL_PAYS_FROM = 5_000_000
_CHUNK = 32

Progress = Callable[[int], None]


def migrate_files(
    paths: Sequence[Path],
    settings: Settings,
    *,
    write: bool,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Iterator[FileResult]:
    """Migrate files and yield their results in the order of ``paths``.

    Args:
        paths: the files.
        settings: what to apply.
        write: whether changed files are written back.
        jobs: how many processes; 0 chooses by the amount of code.
        executor: any ``concurrent.futures.Executor`` to run chunks of files on, instead of
            processes of this machine.
        progress: called with the number of files done since the last call.
    """
    jobs = jobs or _suitable_jobs(paths)
    chunks = [list(paths[i : i + _CHUNK]) for i in range(0, len(paths), _CHUNK)]
    if executor is None and jobs > 1 and len(chunks) > 1:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs) as pool:
            yield from migrate_files(
                paths, settings, write=write, jobs=1, executor=pool, progress=progress
            )
        return
    if executor is not None:
        work = executor.map(migrate_chunk, chunks, [settings] * len(chunks), [write] * len(chunks))
    else:
        work = (migrate_chunk(chunk, settings, write) for chunk in chunks)
    work = iter(work)
    for chunk in chunks:
        results = _next_results(work, chunk)
        if progress is not None:
            progress(len(chunk))
        yield from results


def _next_results(work: Iterator[list[FileResult]], chunk: Sequence[Path]) -> list[FileResult]:
    """The results of a chunk; errors where the process that worked on it came to an end."""
    try:
        return next(work)
    except StopIteration:
        pass
    except RuntimeError as error:
        from concurrent.futures import BrokenExecutor

        if not isinstance(error, BrokenExecutor):
            raise
    message = "the process that worked on it ended; run it again with --jobs 1"
    return [FileResult(str(path), errors=(FileError("internal", message),)) for path in chunk]


def migrate_chunk(paths: Sequence[Path], settings: Settings, write: bool) -> list[FileResult]:
    """Migrate some files: the picklable unit of work of :func:`migrate_files`."""
    return [migrate_file(path, settings, write) for path in paths]


def migrate_file(path: Path, settings: Settings, write: bool) -> FileResult:
    """Migrate one file. Whatever goes wrong is named in the result."""
    return _guarded(path, lambda: _migrated_file(path, settings, write))


def migrate_bytes(data: bytes, path: Path, settings: Settings) -> FileResult:
    """Migrate the content of one file without writing anything.

    Whatever goes wrong is named in the result.
    """
    return _guarded(path, lambda: _migrated_bytes(data, path, settings))


def _guarded(path: Path, work: Callable[[], FileResult]) -> FileResult:
    """What ``work`` returns; a mistake of ours is told as an error of this one file."""
    try:
        return work()
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        message = f"internal error, please report it ({reason}); left as it is"
        return FileResult(str(path), errors=(FileError("internal", message),))


def _migrated_file(path: Path, settings: Settings, write: bool) -> FileResult:
    name = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        return FileResult(name, errors=(FileError("unreadable", error.strerror or str(error)),))
    result = _migrated_bytes(data, path, settings)
    if write and result.after is not None:
        try:
            assert result.before is not None
            write_atomically(path, data, decode(data).encode(result.after))
        except (OSError, FileChangedError, SourceError) as error:
            return FileResult(name, result.findings, (FileError("unwritable", str(error)),))
    return result


def _migrated_bytes(data: bytes, path: Path, settings: Settings) -> FileResult:
    name = str(path)
    if b"torch" not in data:
        return FileResult(name)
    try:
        source = decode(data)
    except SourceError as error:
        return FileResult(name, errors=(FileError("undecodable", str(error)),))
    # The rules, and libcst with them, take longer to import than most hooks take to run.
    from torchfix_codemods.migrate import migrate_text

    migration = migrate_text(source.text, _rules_for(path, settings), options_for(path, settings))
    changed = migration.text != source.text
    if changed:
        try:
            source.encode(migration.text)
        except SourceError as error:
            return FileResult(name, errors=(FileError("unwritable", str(error)),))
    return FileResult(
        name,
        migration.findings,
        migration.errors,
        source.text if changed else None,
        migration.text if changed else None,
        migration.era.evidence,
        source.encoding,
        source.bom,
        migration.skipped,
    )


def _rules_for(path: Path, settings: Settings) -> Sequence[Rule]:
    from torchfix_codemods.rules import select

    ignored: list[str] = list(settings.ignore)
    for pattern, rules in settings.per_file_ignores:
        if Patterns([pattern], settings.root, anywhere=True).match(path):
            ignored += rules
    chosen = select(settings.select, ignored)
    if settings.to_version is None:
        return chosen
    from torchfix_codemods.facts.era import parse_version

    newest = parse_version(settings.to_version)
    return [rule for rule in chosen if parse_version(rule.since) <= newest]


def options_for(path: Path, settings: Settings) -> Options:
    """What a migration of one file needs to know besides its text."""
    from torchfix_codemods.facts.era import Era, parse_version
    from torchfix_codemods.migrate import Options

    numerics = frozenset(Numerics) - ({Numerics.CHANGED} if settings.safe else set())
    era = None
    if settings.from_version is not None or settings.to_version is not None:
        era = Era(
            None,
            parse_version(settings.from_version) if settings.from_version else None,
            ("given by --from",) if settings.from_version else (),
        )
    return Options(
        device_name=settings.device_name,
        era=era,
        numerics=numerics,
        imported_elsewhere=partial(is_imported_elsewhere, path),
        used_elsewhere=partial(is_used_elsewhere, path),
        mentioned_elsewhere=partial(is_mentioned, path),
    )


def _suitable_jobs(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return (os.cpu_count() or 1) if total > _POOL_PAYS_FROM else 1
