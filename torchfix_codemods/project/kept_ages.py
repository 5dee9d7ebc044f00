"""What a run knew of the age of the files that it rewrote, kept beside the results of runs.

A rewrite takes away what dates a file, and writes words that make it look newer. So each run that
writes leaves a note for the next one: which torch the file was written for, and a digest of each of
its lines. A line that is changed by hand later is no longer spoken for; the others are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from torchfix_codemods.facts.age.ages import NOTHING_KEPT, Kept, Told
from torchfix_codemods.facts.age.era import Era, Version
from torchfix_codemods.facts.language.text_lines import carried, lines_of
from torchfix_codemods.project.paths import resolved_name
from torchfix_codemods.record import record, tuples

_FORMAT = 1
_FOLDER = "ages"
#: How the codes begin of what is no rule's.
_SAYS = b'"TP00'
_BEFORE = " (before it was rewritten)"


@record
class _Line:
    """A line: what it holds, and what is known of it."""

    digest: int
    is_known: bool = True
    is_written: bool = False
    newest: Version | None = None
    told: tuple[Told, ...] = ()


class KeptAges:
    """The notes of all runs.

    Args:
        folder: the folder with the results of runs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / _FOLDER

    def of(self, path: Path, text: str) -> Kept:
        """What is known of a file with that text."""
        note = self._read(path)
        if note is None:
            return NOTHING_KEPT
        digests = _digests(text)
        lines = note.lines_of(digests)
        numbered = [*enumerate(lines, 1)]
        return Kept(
            note.era,
            frozenset(n for n, line in numbered if line is not None and line.is_known),
            frozenset(n for n, line in numbered if line is not None and line.is_written),
            all(line is not None and line.is_known for line in lines),
            {n: line.newest for n, line in numbered if line is not None and line.newest},
            {n: line.told for n, line in numbered if line is not None and line.told},
        )

    def keep(
        self,
        path: Path,
        before: str,
        after: str,
        era: Era,
        history: Callable[[], Mapping[int, Version]],
        told: Mapping[int, tuple[Told, ...]],
    ) -> None:
        """Note how old a file is that is rewritten; where that cannot be kept, nothing is.

        Args:
            path: the file.
            before: what it was.
            after: what it becomes.
            era: the torch versions that it was written for.
            history: gives by line of ``before`` the last torch that there was when it was
                written; asked of files that no run has rewritten yet.
            told: by line of ``before``, what is said of it that cannot be seen in ``after``.
        """
        digests = _digests(before)
        note = self._read(path)
        if note is None:
            newest = history()
            start = [_Line(each, newest=newest.get(n)) for n, each in enumerate(digests, 1)]
        else:
            known = note.lines_of(digests)
            start = [
                _Line(each, is_known=False) if line is None else line
                for each, line in zip(digests, known, strict=True)
            ]
            if not note.era.is_open:
                era = note.era
        start = [replace(line, told=told.get(n, ())) for n, line in enumerate(start, 1)]
        evidence = (e if e.endswith(_BEFORE) else e + _BEFORE for e in era.evidence)
        era = replace(era, evidence=tuple(evidence))
        _Note(era, start, [*_rewritten(start, _digests(after))]).write(self._file(path))

    def tells(self, path: Path) -> bool:
        """Whether the note of a file may hold what was said of it."""
        return _SAYS in self.state(path)

    def state(self, path: Path) -> bytes:
        """The bytes of the note of a file: none where there is none."""
        try:
            return self._file(path).read_bytes()
        except OSError:
            return b""

    def _read(self, path: Path) -> _Note | None:
        data = self.state(path)
        return _Note.read(data) if data else None

    def _file(self, path: Path) -> Path:
        import hashlib

        name = hashlib.sha256(os.fsencode(resolved_name(path))).hexdigest()
        return self.folder / name[:2] / f"{name[2:]}.json"


def forget(folder: Path) -> None:
    """Remove all notes.

    Args:
        folder: the folder with the results of runs.

    Raises:
        OSError: something cannot be removed.
    """
    below = folder / _FOLDER
    for file in below.glob("??/*"):
        file.unlink(missing_ok=True)
    for each in (*below.glob("??"), below):
        with suppress(OSError):
            each.rmdir()


@record
class _Note:
    era: Era
    before: Sequence[_Line]
    """The file as it was before the last run that rewrote it: people take a run back."""
    after: Sequence[_Line]

    def lines_of(self, digests: Sequence[int]) -> list[_Line | None]:
        """What is known of the lines of a text; None for one that was written since."""
        if digests == [line.digest for line in self.before]:
            return [*self.before]
        after = [line.digest for line in self.after]
        if digests == after:
            return [*self.after]
        result: list[_Line | None] = [None] * len(digests)
        for is_same, old, new in carried(after, digests):
            if is_same:
                result[new.start : new.stop] = self.after[old.start : old.stop]
        return result

    def write(self, file: Path) -> None:
        import json

        values = {
            "format": _FORMAT,
            "era": asdict(self.era),
            "before": [[*asdict(line).values()] for line in self.before],
            "after": [[*asdict(line).values()] for line in self.after],
        }
        partial = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(values, separators=(",", ":")), "utf-8")
            partial.replace(file)

    @classmethod
    def read(cls, data: bytes) -> _Note | None:
        """A note; None where it is not as expected."""
        import json

        try:
            values = json.loads(data)
            if values["format"] != _FORMAT:
                return None
            era = Era(**{name: tuples(value) for name, value in values["era"].items()})
            before, after = (
                [_Line(*map(tuples, line)) for line in values[name]] for name in ("before", "after")
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        return cls(era, before, after)


def _rewritten(old: Sequence[_Line], digests: Sequence[int]) -> Iterator[_Line]:
    """The lines that a run wrote: each is as old as what it replaces, or what stands above it."""
    pieces = [*carried([line.digest for line in old], digests)]
    same = {n for is_same, from_, _ in pieces if is_same for n in from_}
    for is_same, from_, to in pieces:
        replaced = old[from_.start : from_.stop]
        if is_same:
            yield from replaced
            continue
        is_known = all(line.is_known for line in replaced)
        newest = [line.newest for line in replaced]
        last = None if None in newest else max(filter(None, newest), default=None)
        for place, digest in enumerate(digests[to.start : to.stop]):
            told = (
                each
                for n, line in zip(from_, replaced, strict=True)
                if n not in same and min(n - from_.start, len(to) - 1) == place
                for each in line.told
            )
            yield _Line(digest, is_known, True, last, tuple(told))


def _digests(text: str) -> list[int]:
    import zlib

    return [zlib.crc32(line.strip().encode("utf-8", "replace")) for line in lines_of(text)]
