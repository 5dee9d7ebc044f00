"""What differs between two versions of a project, in parts that can be taken one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from torchfix_codemods.facts.language.text_lines import ended
from torchfix_codemods.finding import MOVES_NUMBERS, Finding, Numerics
from torchfix_codemods.record import record
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.verify.changes.parts import Part, groups_of, is_scaffold, joined
from torchfix_codemods.verify.changes.spans import Range
from torchfix_codemods.verify.changes.whole_files import WholeFile, overrides_of
from torchfix_codemods.verify.changes.wholeness import Whole, belonging_together, runnable
from torchfix_codemods.verify.links import linked


@record
class Hunk:
    """A part of a file that changes, and the rewrites that it holds."""

    key: str
    path: str
    parts: tuple[Part, ...]
    """Lines before and after, in their order. More than one where they only make sense together."""
    findings: tuple[Finding, ...] = ()
    is_scaffold: bool = False
    """Whether it only brings or takes names (imports, a device): tried with all others."""
    before_lines: Range = (0, 0)
    after_lines: Range = (0, 0)
    whole: WholeFile | None = None
    """The file that changes as a whole; it has no parts."""

    @property
    def numerics(self) -> frozenset[Numerics]:
        return frozenset(finding.numerics for finding in self.findings)

    @property
    def moves_numbers(self) -> bool:
        """Whether a rewrite in it says that the numbers change."""
        return bool(self.numerics & MOVES_NUMBERS)

    @property
    def is_restored(self) -> bool:
        """Whether a rewrite in it says that the code fails without it."""
        return Numerics.RESTORED in self.numerics


@record
class FileChange:
    """The two versions of a file, as text."""

    path: str
    """Relative to the project."""
    before: str
    after: str
    findings: tuple[Finding, ...] = ()
    encoding: str = "utf-8"
    bom: bytes = b""


@dataclass
class Change:
    """All that differs between two versions of a project."""

    files: list[FileChange]
    hunks: list[Hunk] = field(default_factory=list)
    others: list[WholeFile] = field(default_factory=list)
    """Files that come or go, or are not Python."""
    links: dict[str, frozenset[str]] = field(default_factory=dict)
    """By key of a hunk: those of other files that it only makes a program with, and itself."""

    def __post_init__(self) -> None:
        if not self.hunks:
            self.hunks = [hunk for file in self.files for hunk in hunks_of(file)]
            self._link()
            # What goes comes last: until then somebody may need it.
            self.hunks += map(_whole_hunk, sorted(self.others, key=lambda f: f.after is None))

    def _link(self) -> None:
        lines: dict[str, tuple[str, tuple[str, str]]] = {}
        for file in self.files:
            sides = split_lines(file.before), split_lines(file.after)
            for hunk in self.hunks:
                if hunk.path == file.path:
                    old, new = (
                        "".join("".join(text[slice(*part[n])]) for part in hunk.parts)
                        for n, text in enumerate(sides)
                    )
                    lines[hunk.key] = (hunk.path, (old, new))
        texts = {file.path: (file.before, file.after) for file in self.files}
        for group in linked(texts, lines):
            self.links.update(dict.fromkeys(group, frozenset(group)))
        self.hunks = [
            dataclasses.replace(hunk, is_scaffold=hunk.is_scaffold and hunk.key not in self.links)
            for hunk in self.hunks
        ]

    def with_linked(self, chosen: Collection[str]) -> frozenset[str]:
        """Hunks, and those that they only make a program with.

        Args:
            chosen: their keys.
        """
        return frozenset(chosen).union(*(self.links.get(key, ()) for key in chosen))

    def texts(self, chosen: Collection[str]) -> dict[str, str]:
        """What the changed files hold when some hunks are applied.

        Args:
            chosen: the keys of the hunks.
        """
        return {file.path: self.text(file, chosen) for file in self.files}

    def text(self, file: FileChange, chosen: Collection[str]) -> str:
        """What one file holds when some hunks are applied."""
        return self._mixed(file, chosen)[0]

    def layout(self, chosen: Collection[str]) -> dict[str, list[Range]]:
        """Where each hunk's lines are when some hunks are applied, by key."""
        result: dict[str, list[Range]] = {hunk.key: [] for hunk in self.hunks if hunk.whole}
        for file in self.files:
            result.update(self._mixed(file, chosen)[1])
        return result

    def watched(self, chosen: Collection[str]) -> dict[str, dict[str, list[list[int]]]]:
        """The lines whose statements are to be told of when they run, by path and key.

        Lines count from 1; a file without any is told of when it is opened. The keys are those of
        hunks, and ``key@line`` for the rewrites of hunks that are not applied.
        """
        layout = self.layout(chosen)
        result: dict[str, dict[str, list[list[int]]]] = {}
        for hunk in self.hunks:
            keys = result.setdefault(hunk.path, {})
            if hunk.whole is not None:
                lines = hunk.whole.watched(hunk.key in chosen)
                if lines is not None:
                    keys[hunk.key] = lines
                continue
            ranges = [[start + 1, end] for start, end in layout[hunk.key] if end > start]
            if ranges:
                keys[hunk.key] = ranges
            if hunk.key in chosen:
                continue
            for finding in hunk.findings:
                for ((first, last), _), (start, _end) in zip(
                    hunk.parts, layout[hunk.key], strict=True
                ):
                    if first <= finding.line - 1 < last:
                        line = start + finding.line - first
                        keys[f"{hunk.key}@{finding.line}"] = [[line, line]]
        return result

    def _mixed(
        self, file: FileChange, chosen: Collection[str]
    ) -> tuple[str, dict[str, list[Range]]]:
        hunks = [hunk for hunk in self.hunks if hunk.path == file.path]
        return _mixed(file, hunks, chosen, is_whole=len(chosen) == len(self.hunks))

    def overrides(self, chosen: Collection[str]) -> dict[str, bytes | None]:
        """The same as bytes, with the files that change as a whole."""
        texts = self.texts(chosen)
        afters = {file.path: file.after for file in self.files}
        result = overrides_of(self.others, chosen, texts, afters)
        for file in self.files:
            result[file.path] = file.bom + runnable(texts[file.path]).encode(file.encoding)
        return result


def _whole_hunk(file: WholeFile) -> Hunk:
    before, after = file.lines()
    return Hunk(
        file.key,
        file.path,
        (),
        is_scaffold=file.kind == "added",
        before_lines=(0, before),
        after_lines=(0, after),
        whole=file,
    )


def hunks_of(file: FileChange, alone: bool = True) -> list[Hunk]:
    """The parts of a file that change; those one of which binds what the other reads are one.

    Args:
        file: its two versions.
        alone: whether parts are taken from the diff without the others; where the file is migrated
            anew instead, what another part binds is no reason to join them.
    """
    groups, attached = groups_of(file.before, file.after, file.findings)
    hunks = _hunks(file, groups, attached)
    if not alone:
        return hunks
    return _hunks(file, *joined(groups, attached, _of_one_program(file, hunks)))


def _hunks(
    file: FileChange, groups: Sequence[Sequence[Part]], attached: Mapping[int, Sequence[Finding]]
) -> list[Hunk]:
    before, after = split_lines(file.before), split_lines(file.after)
    result = []
    for number, parts in enumerate(groups):
        group = sorted(parts)
        first, last = group[0], group[-1]
        result.append(
            Hunk(
                key=f"{file.path}#{number}",
                path=file.path,
                parts=tuple(group),
                findings=tuple(attached.get(number, ())),
                is_scaffold=is_scaffold(group, before, after),
                before_lines=(first[0][0], last[0][1]),
                after_lines=(first[1][0], last[1][1]),
            )
        )
    return result


def _mixed(
    file: FileChange, hunks: Sequence[Hunk], chosen: Collection[str], is_whole: bool
) -> tuple[str, dict[str, list[Range]]]:
    """A file with some of its hunks, where names that any of them needs are there.

    Returns:
        the text, and where in it the lines of each hunk are.
    """
    before, after = split_lines(file.before), split_lines(file.after)
    result: list[str] = []
    layout: dict[str, list[Range]] = {hunk.key: [] for hunk in hunks}
    position = 0
    parts = sorted(((part, hunk) for hunk in hunks for part in hunk.parts), key=lambda p: p[0])
    for ((start, end), (new_start, new_end)), hunk in parts:
        result += before[position:start]
        old, new = before[start:end], after[new_start:new_end]
        if hunk.is_scaffold and chosen and not is_whole:
            lines = [ended(line) for line in (*(o for o in old if o not in new), *new)]
        else:
            lines = new if hunk.key in chosen else old
        layout[hunk.key].append((len(result), len(result) + len(lines)))
        result += lines
        position = end
    return "".join([*result, *before[position:]]), layout


def _of_one_program(file: FileChange, hunks: Sequence[Hunk]) -> Iterator[list[int]]:
    """The hunks that only make a program together."""
    chosen = [number for number, hunk in enumerate(hunks) if not hunk.is_scaffold]

    def mixed(numbers: frozenset[int]) -> str:
        keys = {hunks[chosen[number]].key for number in numbers}
        return _mixed(file, hunks, keys, is_whole=len(keys) == len(hunks))[0]

    for numbers in belonging_together(len(chosen), mixed, Whole(file.before, file.after)):
        yield [chosen[number] for number in numbers]
