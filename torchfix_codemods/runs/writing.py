"""What a run writes: files, and how old they were before."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.documents.kinds import decode_file
from torchfix_codemods.documents.quotients.told_once import apart, told_once
from torchfix_codemods.finding import FileError, FileResult, Finding, Numerics
from torchfix_codemods.remarks import DIVISION, PYTHON_2
from torchfix_codemods.settings.config import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchfix_codemods.facts.age.ages import Kept, Told
    from torchfix_codemods.project.kept_ages import KeptAges


def notes_of(settings: Settings) -> KeptAges | None:
    """What earlier runs knew of the age of files; None where nothing is kept."""
    if settings.cache_dir is None:
        return None
    from torchfix_codemods.project.kept_ages import KeptAges

    return KeptAges(settings.cache_dir)


def note_age(result: FileResult, settings: Settings, place: Path | None = None) -> None:
    """Keep how old a file is that is rewritten now, or written to another place."""
    notes = notes_of(settings)
    if notes is None or result.before is None or result.after is None:
        return
    from torchfix_codemods.project.history import written_for
    from torchfix_codemods.project.paths import resolved

    path = resolved(Path(result.path))
    era = replace(result.era, evidence=tuple(e for e in result.era.evidence if e[:4] != "--to"))
    history = dict if era.before((0, 4)) else partial(written_for, path, result.before)
    path = path if place is None else resolved(place)
    notes.keep(path, result.before, result.after, era, history, _of_python2(result))


def _of_python2(result: FileResult) -> dict[int, tuple[Told, ...]]:
    """What is said of lines because they were Python 2, which they are no more."""
    told: dict[int, tuple[Told, ...]] = {}
    for found in (each for together in result.findings for each in apart(together)):
        if found.code in (PYTHON_2.code, DIVISION.code) and not found.fixed:
            said = found.column, found.code, found.name, found.message
            told[found.line] = (*told.get(found.line, ()), said)
    return told


def told_again(kept: Kept, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What is found in a file, and what an earlier run said of lines that nobody touched since.

    Args:
        kept: what that run knew of it.
        findings: what is found now.
    """
    known = {(found.line, found.code) for found in findings}
    again = (
        Finding(line, column, code, name, message, Numerics.ADVICE, False)
        for line, said in kept.told.items()
        for column, code, name, message in said
        if (line, code) not in known
    )
    return tuple(sorted((*findings, *told_once(again))))


def write_result(result: FileResult, settings: Settings) -> FileResult:
    """Write the file of a result that was not written when it was made.

    Args:
        result: the result.
        settings: those that it was made with.

    Returns:
        the result; one that tells the error where the file cannot be written, or is not any more
        what the result was made from.
    """
    return result if result.after is None else _write_over(result.before, result, settings)


def _write_over(expected: str | None, result: FileResult, settings: Settings) -> FileResult:
    from torchfix_codemods.text.source import FileChangedError, SourceError, write_atomically

    path = Path(result.path)
    assert result.after is not None
    try:
        data = path.read_bytes()
        source = decode_file(path, data)
        if source.text != expected:
            raise FileChangedError("changed on disk meanwhile; left as it is")
        write_atomically(path, data, source.encode(result.after))
        note_age(result, settings)
    except (OSError, FileChangedError, SourceError) as error:
        return unwritten(result, error)
    return result


def written_again(result: FileResult, before: FileResult, settings: Settings) -> FileResult:
    """Write what a second look gave, where that is not what the first one wrote."""
    if result.errors:
        return before
    if result.after is None or result.after == before.after:
        return result
    return _write_over(before.after or result.before, result, settings)


def unwritten(result: FileResult, error: Exception) -> FileResult:
    """The result for a file that stays as it is, because it cannot be written."""
    message = str(error)
    if isinstance(error, OSError):
        message = f"cannot be written: {error.strerror or error}; left as it is"
    left = "(left alone: the file was not written)"
    findings = tuple(
        replace(f, fixed=False, message=f"{f.message} {left}") if f.fixed else f
        for f in result.findings
    )
    return FileResult(result.path, findings, (FileError("unwritable", message),))
