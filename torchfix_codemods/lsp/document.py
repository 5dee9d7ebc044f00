"""What the tool says of the text in an editor, and what it would make of it. Knows no protocol."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from torchfix_codemods.api import read_settings
from torchfix_codemods.engine.ignore_comments import ignoring_line
from torchfix_codemods.finding import FileResult, Finding, Noted
from torchfix_codemods.lsp.fixes import Place, certain_needs, with_needs
from torchfix_codemods.lsp.given import Given
from torchfix_codemods.lsp.project import Project
from torchfix_codemods.record import record
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.report.matching import changed_lines
from torchfix_codemods.settings.config import ConfigError, Settings

_DOTTED = re.compile(r"[\w.]+")


@record
class Edit:
    """Lines ``start`` to ``end``, counted from 0, become ``text``."""

    start: int
    end: int
    text: str


@record
class Document:
    """The text of a file, as it stands in an editor.

    Args:
        path: the file, which need not hold that text, or exist.
        text: what the editor shows.
        given: what the editor's own settings say.
        project: what is known of the files around it.
        noted: gets what is rewritten so far, while the rest is still looked for.
    """

    path: Path
    text: str
    given: Given = field(default_factory=Given)
    project: Project = field(default_factory=Project)
    noted: Noted | None = None

    @property
    def settings(self) -> Settings:
        """The settings for the file; those without any where they cannot be read."""
        return self._settings[0]

    @property
    def trouble(self) -> str:
        """Why settings do not count, of the project or of the editor; empty where they do."""
        return self._settings[1] or self.given.trouble

    @cached_property
    def _settings(self) -> tuple[Settings, str]:
        try:
            found, trouble = read_settings(self.path.parent), ""
        except (ConfigError, OSError) as error:
            found, trouble = Settings(root=self.path.parent), str(error)
        settings = self.given.over(found)
        # `print x` is half a line that somebody types.
        return replace(settings, timeout=_SECONDS, py2=bool(settings.py2)), trouble

    @cached_property
    def result(self) -> FileResult:
        """What a run over the file would give."""
        return self.project.migrated(self.text, self.path, self.settings, noted=self.noted)

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

    def span(self, finding: Finding) -> tuple[int, int, int]:
        """Where a finding stands: the line from 0, the first column and the one behind the last.

        Columns count characters.
        """
        row = min(finding.line - 1, max(len(self.lines) - 1, 0))
        line = self.lines[row].rstrip("\r\n") if self.lines else ""
        start = min(finding.column - 1, len(line))
        word = _DOTTED.match(line, start)
        return row, start, word.end() if word is not None else min(start + 1, len(line))

    def at(self, row: int, column: int) -> list[Finding]:
        """The findings at a place."""
        return [
            finding
            for finding in self.result.findings
            if (span := self.span(finding))[0] == row and span[1] <= column <= span[2]
        ]

    def between(self, first: int, last: int) -> list[Finding]:
        """The findings on some lines, counted from 0, the last one included."""
        return [f for f in self.result.findings if first <= f.line - 1 <= last]

    @property
    def fixable(self) -> list[Finding]:
        """The findings that a fix rewrites."""
        if self.result.after is None:
            return []
        return [finding for finding in self.result.findings if finding.fixed]

    def comes_along(self, findings: Collection[Finding]) -> int:
        """How many other rewrites certainly come with the fix of some findings."""
        return len(certain_needs(findings, self.result)) - len(findings)

    def fix_of(self, findings: Collection[Finding]) -> list[Edit]:
        """The edits that rewrite the places of some findings, and what these need.

        Args:
            findings: some of those that a fix rewrites.
        """
        return self._edits(with_needs(findings, self.result, self._migrated_at))

    def fix_of_all(self) -> list[Edit]:
        """The edits of all rules."""
        return self._edits(self.result)

    def ignored(self, finding: Finding) -> Edit | None:
        """The edit that asks to leave the place of a finding alone; None where that has no room."""
        found = ignoring_line(self.text, finding)
        return None if found is None else Edit(found[0], found[0] + 1, found[1])

    def _migrated_at(self, places: frozenset[Place]) -> FileResult:
        return self.project.migrated(
            self.text, self.path, self.settings, lambda line, code: (line, code) in places
        )

    def _edits(self, result: FileResult) -> list[Edit]:
        return [] if result.after is None else list(_differences(self.lines, result.after))


#: Nobody waits longer for an editor.
_SECONDS = 10.0


def _differences(before: list[str], text: str) -> Iterator[Edit]:
    after = split_lines(text)
    for a, b, c, d in changed_lines(before, after):
        yield Edit(a, b, "".join(after[c:d]))
