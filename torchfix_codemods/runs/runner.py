"""Many files: what to read, what to skip unread, in how many processes."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.documents.kinds import (
    converter,
    decode_file,
    is_converted_unasked,
    is_document,
    is_notebook,
    is_read_without_torch,
    may_import_beside,
    may_need_python2_alone,
)
from torchfix_codemods.engine.garbage import not_collected
from torchfix_codemods.finding import FileError, FileResult, Noted
from torchfix_codemods.project.glance import may_be_python2
from torchfix_codemods.project.run import Run
from torchfix_codemods.runs.chosen import options_for, rules_for, wanted_findings, with_target
from torchfix_codemods.runs.limits import TimeUpError, time_limit
from torchfix_codemods.runs.reading import Asked as AskedRules
from torchfix_codemods.runs.reading import Reading, reading_of
from torchfix_codemods.runs.writing import (
    note_age,
    notes_of,
    told_again,
    unwritten,
    write_result,
    written_again,
)
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.settings.nearest import settings_of

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from torchfix_codemods.project.files import FilesOf
    from torchfix_codemods.project.index import Index
    from torchfix_codemods.runs.cache import Asked, Cache
    from torchfix_codemods.text.source import Source

#: Below this many bytes of torch code, starting processes costs more than it saves.
_POOL_PAYS_FROM = 5_000_000
_CHUNK = 32

#: The tree of a larger file would take gigabytes.
_MOST_BYTES = 20_000_000

#: Most of a large document is pictures.
_MOST_BYTES_OF_DOCUMENT = 200_000_000

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
            processes of this machine. Its workers read the same files under the same paths, the
            folder for temporary files included; nothing is written by them.
        progress: called with the number of files done since the last call.
    """
    if executor is not None and write:
        # Its workers only compute: what one of them lost when it ended is simply computed again.
        done = migrate_files(paths, settings, write=False, executor=executor, progress=progress)
        yield from (write_result(result, settings) for result in done)
        return
    with Run(paths, write) as run:
        first = _in_chunks(paths, settings, run, jobs, executor, progress)
        yield from _settled(first, settings, run)


def _in_chunks(
    paths: Sequence[Path],
    settings: Settings,
    run: Run,
    jobs: int,
    executor: Executor | None,
    progress: Progress | None,
) -> Iterator[FileResult]:
    jobs = jobs or _suitable_jobs(paths)
    chunks = [list(paths[i : i + _CHUNK]) for i in range(0, len(paths), _CHUNK)]
    if executor is None and jobs > 1 and len(chunks) > 1:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs) as pool:
            yield from _in_chunks(paths, settings, run, 1, pool, progress)
        return
    work = _work_on(chunks, settings, run, executor)
    for chunk, results in zip(chunks, work, strict=True):
        if progress is not None:
            progress(len(chunk))
        yield from results


def _work_on(
    chunks: Sequence[Sequence[Path]],
    settings: Settings,
    run: Run,
    executor: Executor | None,
) -> Iterator[list[FileResult]]:
    """The results of each chunk, from here or from the workers of an executor."""
    if executor is None:
        yield from (migrate_chunk(chunk, settings, run) for chunk in chunks)
        return
    futures = [executor.submit(migrate_chunk, chunk, settings, run) for chunk in chunks]
    try:
        for chunk, future in zip(chunks, futures, strict=True):
            yield _results_of(future, chunk)
    finally:
        for future in futures:
            future.cancel()


def _results_of(future: Future[list[FileResult]], chunk: Sequence[Path]) -> list[FileResult]:
    """The results of a chunk; errors where the worker came to an end.

    What goes wrong with a file is told by its result: an exception is about the worker itself.
    """
    try:
        return future.result()
    except Exception as error:
        reason = type(error).__name__
        message = f"the process that worked on it ended ({reason}); run it again with --jobs 1"
        return [FileResult(str(path), errors=(FileError("internal", message),)) for path in chunk]


def _settled(
    results: Iterator[FileResult],
    settings: Settings,
    run: Run,
) -> Iterator[FileResult]:
    """The results, once files that waited for others have been looked at again.

    They come in order, so the first file that waits holds back those behind it.
    """
    held: list[FileResult] = []
    changed: dict[str, str | None] = {}
    for result in results:
        if result.changed:
            changed[result.path] = result.after
        if held or result.waits:
            held.append(result)
        else:
            yield result
    now = {str(Path(path).resolve()): after for path, after in changed.items()} if held else {}
    waiting = [r for r in held if r.waits and any(path in now for path, _ in r.drawn_from)]
    again = _looked_at_again(waiting, now, settings, run)
    for result in held:
        yield again.get(result.path, result)


def _looked_at_again(
    waiting: Sequence[FileResult],
    now: Mapping[str, str | None],
    settings: Settings,
    run: Run,
) -> dict[str, FileResult]:
    """What becomes of files once those that they wait for are what this run makes of them.

    Args:
        waiting: the results of these files as they are so far.
        now: the texts of the files that this run changed.
        settings: what to apply.
        run: the run.
    """
    if not waiting:
        return {}
    from torchfix_codemods.project.index import Index

    index = _index(run, settings)

    @functools.cache
    def rewritten(path: Path) -> bytes | None:
        after = None if run.writes else now.get(str(path))
        return None if after is None else decode_file(path, index.read(path)).encode(after)

    # Files that were written are read as they are now.
    later = Index(
        rewritten=rewritten,
        applies=index.applies,
        converted=index.converted,
        notes=index.notes,
        begun=index,
    )
    results = {}
    for name in (result.path for result in waiting):
        path, data = Path(name), index.read(name)
        work = partial(_migrated_bytes, data, path, settings, index, later)
        results[name] = _guarded(path, settings, work)
    if run.writes:
        for before in waiting:
            results[before.path] = written_again(results[before.path], before, settings)
    return results


def migrate_chunk(paths: Sequence[Path], settings: Settings, run: Run) -> list[FileResult]:
    """Migrate some files: the picklable unit of work of :func:`migrate_files`.

    Args:
        paths: the files.
        settings: what to apply.
        run: the run that they belong to.
    """
    index = partial(_index, run, settings)
    # What is known of other files outlives each of them: to look through it finds nothing.
    with not_collected():
        return [_of_run(path, settings, run.writes, index) for path in paths]


def migrate_file(
    path: Path, settings: Settings, write: bool, index: Index | None = None
) -> FileResult:
    """Migrate one file. Whatever goes wrong is named in the result."""
    from torchfix_codemods.project.index import Index

    return _of_run(path, settings, write, lambda: index or Index())


def _of_run(path: Path, settings: Settings, write: bool, index: Callable[[], Index]) -> FileResult:
    """The same, where the other files of a run are looked up when they matter."""
    return _guarded(path, settings, partial(_migrated_file, path, settings, write, index))


def migrate_bytes(
    data: bytes,
    path: Path,
    settings: Settings,
    accepts: Callable[[int, str], bool] | None = None,
    index: Index | None = None,
    noted: Noted | None = None,
) -> FileResult:
    """Migrate the content of one file without writing anything.

    Args:
        data: the content.
        path: the file that holds it, or will.
        settings: what to apply.
        accepts: tells whether a rewrite is wanted, by its line and the rule's code; None: all.
        index: the project around it, as :func:`index_beside` gives it; looked up anew where not
            given.
        noted: gets what is rewritten so far, while the rest is still looked for. It stays in the
            result unless something fails. Of documents, and of Python 2, it gets nothing.

    Returns:
        the result; whatever goes wrong is named in it.
    """
    index = index_beside(settings) if index is None else index
    work = partial(_migrated_bytes, data, path, settings, index, accepts=accepts, noted=noted)
    return _guarded(path, settings, work)


def index_beside(settings: Settings) -> Index:
    """The projects around files that are migrated one by one, each looked up when it matters."""
    from torchfix_codemods.project.index import Index

    return Index(converted=converter(settings), notes=notes_of(settings))


def migrate_chosen(
    paths: Sequence[Path],
    settings: Settings,
    accepts: Callable[[Path, int, str], bool],
    applies: Callable[[Path, str], bool],
) -> list[FileResult]:
    """Migrate files as if only some of the rewrites were there. Nothing is written.

    Args:
        paths: the files.
        settings: what to apply.
        accepts: tells whether a rewrite is wanted, by its file, its line and the rule's code.
        applies: tells whether all rewrites of a rule are wanted in a file.
    """

    from torchfix_codemods.project.index import Index

    def is_applied(path: Path, code: str) -> bool:
        return applies(path, code) and any(r.code == code for r in rules_for(path, settings))

    index = Index(applies=is_applied, notes=notes_of(settings))
    return [_chosen_file(path, settings, index, accepts) for path in paths]


def _chosen_file(
    path: Path, settings: Settings, index: Index, accepts: Callable[[Path, int, str], bool]
) -> FileResult:
    def work() -> FileResult:
        index.enter(path)
        accepts_here = partial(accepts, path)
        return _migrated_bytes(path.read_bytes(), path, settings, index, accepts=accepts_here)

    return _guarded(path, settings, work)


_of_thread = threading.local()


def _index(run: Run, settings: Settings) -> Index:
    """What this thread knows of the project during one run: others may be at another project."""
    key = run, settings
    if getattr(_of_thread, "key", None) != key:
        _of_thread.key, _of_thread.index = key, _new_index(*key)
    index: Index = _of_thread.index
    return index


def _new_index(run: Run, settings: Settings) -> Index:
    from torchfix_codemods.project.index import Index

    @functools.cache
    def applies(path: Path, code: str) -> bool:
        return path in run.files and any(rule.code == code for rule in rules_for(path, settings))

    return Index(applies=applies, run=run, converted=converter(settings), notes=notes_of(settings))


def _guarded(path: Path, settings: Settings, work: Callable[[], FileResult]) -> FileResult:
    """What ``work`` returns; a mistake of ours is told as an error of this one file."""
    try:
        with time_limit(settings.timeout):
            return work()
    except TimeUpError:
        message = f"took longer than {settings.timeout:g} seconds (--timeout); left as it is"
        return FileResult(str(path), errors=(FileError("timeout", message),))
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        message = f"internal error, please report it ({reason}); left as it is"
        return FileResult(str(path), errors=(FileError("internal", message),))


def _migrated_file(
    path: Path, settings: Settings, write: bool, index: Callable[[], Index]
) -> FileResult:
    name = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        return FileResult(name, errors=(FileError("unreadable", error.strerror or str(error)),))
    if not _is_read(_reading(data, path, index), data, path, settings, index):
        return FileResult(name)
    index().enter(path)
    result = _migrated_bytes(data, path, settings, index())
    if write and result.after is not None:
        from torchfix_codemods.text.source import FileChangedError, SourceError, write_atomically

        try:
            assert result.before is not None
            index().keep(path, data)
            write_atomically(path, data, decode_file(path, data).encode(result.after))
            note_age(result, settings)
        except (OSError, FileChangedError, SourceError) as error:
            return unwritten(result, error)
    return result


def _reading(data: bytes, path: Path, index: Callable[[], Index]) -> Reading:
    return reading_of(data, path, lambda: index().texts)


def _was_told_of(path: Path, settings: Settings) -> bool:
    """Whether an earlier run may have said of a file what cannot be seen in it any more."""
    notes = notes_of(settings)
    return notes is not None and notes.tells(path)


def _is_read(
    reading: Reading, data: bytes, path: Path, settings: Settings, index: Callable[[], Index]
) -> bool:
    """Whether there may be something to do in a file, as far as a glance can tell."""
    settings = settings_of(path, settings)
    if reading.asked is AskedRules.ALL or is_read_without_torch(path, settings):
        return True
    if _was_told_of(path, settings):
        return True
    if is_converted_unasked(path, settings) and may_be_python2(data):
        return index().texts.uses_torch(path)
    is_told = may_need_python2_alone(path, data, settings)
    is_told = is_told or may_import_beside(path, data, settings)
    if is_told and index().texts.uses_torch(path):
        return True
    if reading.asked is AskedRules.NONE:
        return False
    if not (settings.select or settings.ignore or settings.per_file_ignores):
        return True
    _import_rules()
    return bool(reading.rules(rules_for(path, settings)))


def _migrated_bytes(
    data: bytes,
    path: Path,
    settings: Settings,
    index: Index,
    later: Index | None = None,
    accepts: Callable[[int, str], bool] | None = None,
    noted: Noted | None = None,
) -> FileResult:
    settings = settings_of(path, settings)
    reading = _reading(data, path, lambda: index)
    if not _is_read(reading, data, path, settings, lambda: index):
        return FileResult(str(path))
    most = _MOST_BYTES_OF_DOCUMENT if is_document(path) else _MOST_BYTES
    if len(data) > most:
        message = f"larger than {most // 1_000_000} MB; left as it is"
        return FileResult(str(path), errors=(FileError("large", message),))
    from torchfix_codemods.text.source import SourceError

    try:
        source = decode_file(path, data)
    except SourceError as error:
        return FileResult(str(path), errors=(FileError("undecodable", str(error)),))
    if settings.cache_dir is None or later is not None or accepts is not None:
        return _migrated_source(source, path, settings, index, later, reading, accepts, noted)[0]
    from torchfix_codemods.runs.cache import Asked

    cache = _cache(settings.cache_dir, settings)
    key = cache.key(path, data)
    known = cache.read(key)
    if known is not None and _is_current(known.asked, path, index):
        result = known.result(path, source)
        if result is not None:
            return result
    result, files = _migrated_source(source, path, settings, index, None, reading)
    asked = Asked(
        index.digest(path) if files.asks_project else None,
        index.run if files.asks_run else None,
        index.age_digest(path) if files.asks_age else None,
    )
    if not (files.asks_project and asked.project is None):
        result = _with_changes(result)
        cache.write(key, result, asked)
    return result


def _with_changes(result: FileResult) -> FileResult:
    """A result that need not be asked for its diff twice. A notebook has one for each cell."""
    if result.before is None or result.after is None or is_notebook(result.path):
        return result
    from torchfix_codemods.report.diff import split_lines
    from torchfix_codemods.report.matching import changed_lines

    return replace(
        result, changes=changed_lines(split_lines(result.before), split_lines(result.after))
    )


@functools.lru_cache(maxsize=16)
def _cache(folder: Path, settings: Settings) -> Cache:
    from torchfix_codemods.runs.cache import Cache

    cache = Cache(folder, settings)
    cache.prune()
    return cache


def _is_current(asked: Asked, path: Path, index: Index) -> bool:
    """Whether what a result was made from, besides its own file, is still the same."""
    if asked.project is not None and asked.project != index.digest(path):
        return False
    if asked.age is not None and asked.age != index.age_digest(path):
        return False
    return asked.run is None or asked.run == index.run


def _migrated_source(
    source: Source,
    path: Path,
    settings: Settings,
    index: Index,
    later: Index | None,
    reading: Reading,
    accepts: Callable[[int, str], bool] | None = None,
    noted: Noted | None = None,
) -> tuple[FileResult, FilesOf]:
    """What becomes of a text, and what was asked of other files for it."""
    _import_rules()
    from torchfix_codemods.documents.kinds import migrate_file_text
    from torchfix_codemods.project.files import FilesOf
    from torchfix_codemods.text.source import SourceError

    name = str(path)
    files = FilesOf(path, index)
    ages = files.ages(source.text)
    options = replace(options_for(path, settings, files), ages=ages)
    if later is not None:
        files = FilesOf(path, later)
        # What the other files need is what people wrote in them.
        needed = options.needed
        then = replace(options_for(path, settings, files), ages=ages, needed=needed)
        options = replace(options, later=then)
    if accepts is not None:
        options = replace(options, accepts=accepts)
    files.asks_project |= reading.asks_project
    rules = reading.rules(rules_for(path, settings))
    migration = migrate_file_text(path, source.text, rules, options, settings, noted)
    findings = migration.findings
    if _was_told_of(path, settings):
        findings = told_again(ages.kept, findings)
    changed = migration.text != source.text
    if changed:
        try:
            source.encode(migration.text)
        except SourceError as error:
            return FileResult(name, errors=(FileError("unwritable", str(error)),)), files
    result = FileResult(
        name,
        wanted_findings(findings, path, settings),
        migration.errors,
        source.text if changed else None,
        migration.text if changed else None,
        with_target(migration.era, settings),
        source.encoding,
        source.bom,
        migration.skipped,
        files.index.drawn_from(files.path) if files.waits else (),
        files.waits,
        migration.passed,
    )
    return result, files


@functools.cache
def _import_rules() -> None:
    """Import the rules: that takes longer than most hooks take to run."""
    with not_collected():
        from torchfix_codemods.rules import all_rules

        all_rules()


def _suitable_jobs(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return (os.cpu_count() or 1) if total > _POOL_PAYS_FROM else 1
