"""``torchfix migrate --interactive``: the user decides on each part of the diff."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from torchfix_codemods.cli.color import is_colored
from torchfix_codemods.facts.language.text_lines import ended
from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.report.run import hunks, stretches
from torchfix_codemods.report.text import colored
from torchfix_codemods.runs.runner import migrate_chosen
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.verify.hunks import Hunk

_HELP = """\
y - rewrite this
n - leave this as it is
a - rewrite this and all that follows in this file
d - leave this and all that follows in this file
q - leave this and all that follows; what was accepted so far is written
? - this list
"""

#: What goes together once a part was refused may look otherwise; it settles in a round or two.
_MOST_ROUNDS = 10


def check_usage(options: Mapping[str, Any], paths: Sequence[Path]) -> None:
    """Refuse what cannot be done while somebody is asked."""
    others = {
        "--diff": options["diff"],
        "--check": options["check"],
        "--verify": options["verify_command"] is not None,
        "--output-format": options["output_format"] != "text",
    }
    for name, is_given in others.items():
        if is_given:
            raise click.UsageError(f"--interactive and {name} cannot be used together")
    if Path("-") in paths:
        raise click.UsageError("--interactive cannot ask while the code comes from standard input")


def chosen(results: Sequence[FileResult], settings: Settings) -> list[FileResult]:
    """Ask about every part of a migration.

    Args:
        results: the migration, not written yet.
        settings: what it was made with.

    Returns:
        the migration with what was accepted; nothing is written yet.
    """
    choice = _Choice()
    final = list(results)
    for _ in range(_MOST_ROUNDS):
        choice.ask_about(final)
        if not choice.has_refused:
            return final
        again = [Path(result.path) for result in results if result.changed]
        migrated = migrate_chosen(again, settings, choice.accepts, choice.accepts_all)
        by_path = {result.path: result for result in migrated}
        final = [by_path.get(result.path, result) for result in results]
        if not any(choice.open_parts(result) for result in final):
            return [choice.without_refused(result) for result in final]
    raise click.ClickException("what was accepted does not go together; nothing was written")


class _Choice:
    """What the user said so far."""

    def __init__(self) -> None:
        self._accepted: set[tuple[str, int, str]] = set()
        self._refused: set[tuple[str, int, str]] = set()
        self._shown: set[tuple[object, ...]] = set()
        self._is_over = False

    @property
    def has_refused(self) -> bool:
        return bool(self._refused)

    def accepts(self, path: Path, line: int, code: str) -> bool:
        place = (str(path), line, code)
        return place in self._accepted and place not in self._refused

    def accepts_all(self, path: Path, code: str) -> bool:
        """Whether a rule was accepted in all of a file that was asked about."""
        name = str(path.resolve())
        refused = {(str(Path(at).resolve()), rule) for at, _, rule in self._refused}
        accepted = {(str(Path(at).resolve()), rule) for at, _, rule in self._accepted}
        return (name, code) in accepted - refused

    def without_refused(self, result: FileResult) -> FileResult:
        """A result that does not speak of what the user has decided to leave."""
        findings = tuple(
            f
            for f in result.findings
            if f.fixed or (result.path, f.line, f.code) not in self._refused
        )
        return dataclasses.replace(result, findings=findings)

    def open_parts(self, result: FileResult) -> list[Hunk]:
        """The parts of a file that the user has not accepted as they are."""
        return [part for part in _parts(result) if _identity(result, part) not in self._shown]

    def ask_about(self, results: Sequence[FileResult]) -> None:
        for result in results:
            answer = "q" if self._is_over else ""
            parts = self.open_parts(result)
            for number, part in enumerate(parts, 1):
                if answer not in ("a", "d", "q"):
                    answer = _answer(result, part, f"({number}/{len(parts)})")
                self._is_over = answer == "q"
                self._note(result, part, answer in ("y", "a"))

    def _note(self, result: FileResult, part: Hunk, is_accepted: bool) -> None:
        places = {(result.path, finding.line, finding.code) for finding in part.findings}
        if is_accepted:
            self._accepted |= places
            self._shown.add(_identity(result, part))
        else:
            self._refused |= places


def _parts(result: FileResult) -> list[Hunk]:
    """The parts of a file that have reasons, with what was tidied up behind them.

    ``model(input)`` for ``model(input_var)`` follows from what made the two names one.
    """
    found = sorted(hunks(result, alone=False), key=lambda hunk: hunk.parts)
    parts: list[Hunk] = []
    for hunk in found:
        if hunk.findings:
            parts.append(hunk)
        elif parts and not hunk.is_scaffold:
            together = tuple(sorted((*parts[-1].parts, *hunk.parts)))
            parts[-1] = dataclasses.replace(parts[-1], parts=together)
    return parts


def _identity(result: FileResult, part: Hunk) -> tuple[object, ...]:
    """What was seen of a part: the lines that go, and those that come."""
    after = split_lines(result.after or "")
    lines = tuple((old, "".join(after[start:end])) for old, (start, end) in part.parts)
    return result.path, lines


def _answer(result: FileResult, part: Hunk, count: str) -> str:
    """Show a part, and ask until the answer is one; the end of the input is one, too."""
    click.echo()
    click.echo("".join(_shown(result, part)), nl=False)
    while True:
        click.echo(f"{count} Rewrite this [y,n,a,d,q,?]? ", nl=False)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            click.echo()
            return "q"
        answer = line.strip().lower()
        if answer in ("y", "n", "a", "d", "q"):
            return answer
        click.echo(_HELP, nl=False)


def _shown(result: FileResult, part: Hunk) -> Iterator[str]:
    """A part as a diff, and the reasons for it."""
    before, after = split_lines(result.before or ""), split_lines(result.after or "")
    lines = [f"--- {result.path}\n"]
    found = stretches(part, hunks(result, alone=False), len(before), context=3)
    for number, stretch in enumerate(found):
        if number == 0 or stretch.follows_gap:
            lines.append(f"@@ line {stretch.before[0] + 1} @@\n")
        old, new = before[slice(*stretch.before)], after[slice(*stretch.after)]
        if stretch.is_changed:
            lines += [f"-{ended(line)}" for line in old] + [f"+{ended(line)}" for line in new]
        else:
            lines += [f" {ended(line)}" for line in old]
    text = "".join(lines)
    shown = colored(text) if is_colored() else text
    yield shown.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    for finding in dict.fromkeys(part.findings):
        yield f"{_reason(finding)}\n"


def _reason(finding: Finding) -> str:
    return (
        f"line {finding.line}: {finding.code} {finding.name}"
        f" ({finding.numerics.value}): {finding.message}"
    )
