"""What the tool says of the text in an editor, and what it would make of it. Knows no protocol."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from torchfix_codemods.api import migrate_text, read_settings
from torchfix_codemods.engine.ignore_comments import ignoring_line
from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.record import record
from torchfix_codemods.report.diff import split_lines
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
    """

    path: Path
    text: str

    @property
    def settings(self) -> Settings:
        """The settings for the file; those without any where they cannot be read."""
        return self._settings[0]

    @property
    def trouble(self) -> str:
        """Why the settings of the project cannot be read; empty where they can."""
        return self._settings[1]

    @cached_property
    def _settings(self) -> tuple[Settings, str]:
        try:
            settings = read_settings(self.path.parent)
            # `print x` is half a line that somebody types.
            return replace(settings, timeout=_SECONDS, py2=bool(settings.py2)), ""
        except (ConfigError, OSError) as error:
            return Settings(root=self.path.parent, timeout=_SECONDS), str(error)

    @cached_property
    def result(self) -> FileResult:
        """What a run over the file would give."""
        return self._migrated(self.settings)

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

    def fix_of(self, finding: Finding) -> list[Edit]:
        """The edits that rewrite the place of one finding, and what goes with it."""

        def is_meant(line: int, code: str) -> bool:
            return (line, code) == (finding.line, finding.code)

        return self._edits(
            migrate_text(self.text, path=self.path, settings=self.settings, accepts=is_meant)
        )

    def fix_of_rule(self, code: str) -> list[Edit]:
        """The edits of one rule in the whole file."""
        return self._edits(self._migrated(replace(self.settings, select=(code,))))

    def fix_of_all(self) -> list[Edit]:
        """The edits of all rules."""
        return self._edits(self.result)

    def ignored(self, finding: Finding) -> Edit | None:
        """The edit that asks to leave the place of a finding alone; None where that has no room."""
        found = ignoring_line(self.text, finding)
        return None if found is None else Edit(found[0], found[0] + 1, found[1])

    def _migrated(self, settings: Settings) -> FileResult:
        return migrate_text(self.text, path=self.path, settings=settings)

    def _edits(self, result: FileResult) -> list[Edit]:
        return [] if result.after is None else list(_differences(self.lines, result.after))


#: Nobody waits longer for an editor.
_SECONDS = 10.0


def _differences(before: list[str], text: str) -> Iterator[Edit]:
    after = split_lines(text)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield Edit(a, b, "".join(after[c:d]))
