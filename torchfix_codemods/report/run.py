"""All that a report says of one run, whatever its format."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from torchfix_codemods.facts.language.text_lines import ended
from torchfix_codemods.finding import FileResult, Finding, Numerics, Reason
from torchfix_codemods.record import record
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.report.text import Tally
from torchfix_codemods.verify.changes.spans import Range
from torchfix_codemods.verify.hunks import FileChange, Hunk, hunks_of

if TYPE_CHECKING:
    from torchfix_codemods.verify.verdicts import Judgement, Verification

#: What a claim about the numbers means to somebody who reads a report.
MEANINGS = {
    Numerics.IDENTICAL: "the same bits before and after",
    Numerics.RESTORED: "fails on today's torch; afterwards gives what the old torch gave",
    Numerics.PINNED: "runs today with other numbers; afterwards gives the old ones",
    Numerics.CHANGED: "meant to change the numbers, as the reason says",
    Numerics.ADVICE: "nothing is rewritten; the message says what to write",
}

#: Why something is rewritten, to the same reader.
WHY = {
    Reason.FAILS: "it fails on the torch to run on",
    Reason.DIFFERS: "it runs there, with other numbers than meant",
    Reason.WARNS: "it gives the same there, and torch warns",
    Reason.MODERN: "it works there as it is, and is not how it is written today",
}

#: How loud a program that shows findings should be about them.
LEVELS = {
    Numerics.IDENTICAL: "note",
    Numerics.RESTORED: "warning",
    Numerics.PINNED: "warning",
    Numerics.CHANGED: "warning",
    Numerics.ADVICE: "warning",
}


@record
class RunReport:
    """The results of one run."""

    results: Sequence[FileResult]
    is_written: bool = False
    """Whether the files were rewritten, so that places of rewrites are not there any more."""
    verification: Verification | None = None
    base: Path = field(default_factory=Path)
    """The folder that the paths of the verification are relative to."""

    @cached_property
    def tally(self) -> Tally:
        tally = Tally()
        for result in self.results:
            tally.add(result)
        return tally

    @cached_property
    def told(self) -> list[FileResult]:
        """The files with something to tell."""
        return [r for r in self.results if r.findings or r.errors or r.changed]

    def judgements(self, result: FileResult, finding: Finding) -> list[Judgement]:
        """What the runs of the user's program say of a rewrite."""
        place = (str(Path(result.path).resolve()), finding.line, finding.code)
        return self._judgements.get(place, [])

    @cached_property
    def _judgements(self) -> dict[tuple[str, int, str], list[Judgement]]:
        found: dict[tuple[str, int, str], list[Judgement]] = {}
        for judgement in self.verification.judgements if self.verification is not None else ():
            if judgement.finding is not None:
                path = str((self.base / judgement.hunk.path).resolve())
                place = (path, judgement.finding.line, judgement.finding.code)
                found.setdefault(place, []).append(judgement)
        return found


def hunks(result: FileResult, alone: bool = True) -> list[Hunk]:
    """The parts of a file that change; what only makes sense together is one.

    Args:
        result: of the file.
        alone: whether a part is applied without the others, and not by migrating the file anew.
    """
    if result.before is None or result.after is None:
        return []
    change = FileChange(result.path, result.before, result.after, result.findings)
    return hunks_of(change, alone)


@record
class Stretch:
    """Lines to show together: the same on both sides, or what became of them."""

    before: Range
    after: Range
    is_changed: bool
    follows_gap: bool = False
    """Whether lines are left out above."""


def stretches(hunk: Hunk, all_hunks: Sequence[Hunk], last: int, context: int) -> list[Stretch]:
    """What to show of one part of a file.

    Args:
        hunk: the part.
        all_hunks: all parts of the file: what they change is no context.
        last: how many lines the file had.
        context: how many lines to show around, at most.
    """
    edges = sorted(part for other in all_hunks for part in other.parts)
    found: list[Stretch] = []
    for (start, stop), (new_start, new_stop) in sorted(hunk.parts):
        place = edges.index(((start, stop), (new_start, new_stop)))
        shown = found[-1].before[1] if found else 0
        above = edges[place - 1][0][1] if place else 0
        lead = max(0, min(context, start - max(above, shown)))
        has_gap = bool(found) and start - lead > shown
        if lead:
            before, after = (start - lead, start), (new_start - lead, new_start)
            found.append(Stretch(before, after, False, has_gap))
        changed = Stretch((start, stop), (new_start, new_stop), True, has_gap and not lead)
        found.append(changed)
        below = edges[place + 1][0][0] if place + 1 < len(edges) else last
        tail = min(context, below - stop)
        if tail:
            found.append(Stretch((stop, stop + tail), (new_stop, new_stop + tail), False))
    return found


@record
class Replacement:
    """Lines of a file, and what takes their place."""

    lines: Range
    """First line, and the line behind the last one; counted from 0."""
    text: str


def replacements(result: FileResult, hunk: Hunk, all_hunks: Sequence[Hunk]) -> list[Replacement]:
    """What has to be replaced to have one part of a migration and no other.

    That is the part, and the imports and definitions of which its lines speak.
    """
    assert result.before is not None and result.after is not None
    before, after = split_lines(result.before), split_lines(result.after)
    written = "".join(line for _, (start, end) in hunk.parts for line in after[start:end])
    found = []
    # What is needed may need something above it.
    waiting = [part for h in all_hunks if h.is_scaffold and h is not hunk for part in h.parts]
    left_out = {lines[1] for lines, _ in waiting}
    for (a, b), (c, d) in sorted(waiting, reverse=True):
        old, new = before[a:b], after[c:d]
        brought = "".join(line for line in new if line not in old)
        if _bound(brought) & set(re.findall(r"\w+", written)):
            kept = "".join(ended(line) for line in old if line not in new)
            found.append(Replacement((a, b), kept + "".join(map(ended, new))))
            written += brought
            left_out.discard(b)
    for (a, b), (c, d) in hunk.parts:
        text = "".join(after[c:d])
        # A gap below what is left out is no gap any more.
        is_gap = a in left_out and b > a and before[a].strip()
        found.append(Replacement((a, b), text.lstrip("\r\n") if is_gap else text))
    return sorted(found, key=lambda replacement: replacement.lines)


def _bound(text: str) -> set[str]:
    """The names that lines of imports and assignments at the margin bring."""
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return set(re.findall(r"\w+", text))
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in statement.names}
        else:
            names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            found |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return found


def relative(path: str) -> str | None:
    """A path from the current folder, with slashes; None for what is not below it."""
    found = Path(os.path.normpath(Path(path).absolute()))
    try:
        return found.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return None


def uri_of(path: str) -> str:
    """A path as a URI reference, relative where it is below the current folder."""
    name = relative(path)
    if name is None:
        return Path(os.path.normpath(Path(path).absolute())).as_uri()
    return quote(os.fsencode(name))
