"""The report for people: diffs, what was left, what could not be read, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import click

from torchfix_codemods.documents.kinds import is_notebook
from torchfix_codemods.facts.age.era import dotted
from torchfix_codemods.finding import FileError, FileResult, Finding, Reason
from torchfix_codemods.report.diff import encoded, split_lines, unified_diff


def diff_of(result: FileResult) -> str:
    """The unified diff of one file; empty where it stays as it is."""
    if result.before is None or result.after is None:
        return ""
    if is_notebook(result.path):
        from torchfix_codemods.report.cells import cell_diffs

        return cell_diffs(result)
    path = result.path.lstrip("/")
    mark = result.bom.decode("utf-8")
    before, after = mark + result.before, mark + result.after
    return unified_diff(path, before, after, result.findings, result.changes)


def patch_of(result: FileResult) -> bytes:
    """The diff of one file with its lines as they are on disk, for ``patch`` and ``git apply``."""
    return encoded(diff_of(result), result.encoding)


def colored(diff: str) -> str:
    """A diff with the usual terminal colours."""
    return "".join(_colored_line(line) for line in split_lines(diff))


def _colored_line(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return click.style(line, bold=True)
    if line.startswith("@@"):
        return click.style(line, fg="cyan")
    if line.startswith("-"):
        return click.style(line, fg="red")
    return click.style(line, fg="green") if line.startswith("+") else line


def rewrites_of(result: FileResult) -> list[str]:
    """One line per finding that is rewritten: ``path:line:column: CODE name: message``."""
    return [_line(result, finding) for finding in result.findings if finding.fixed]


def _line(result: FileResult, finding: Finding) -> str:
    return f"{place_of(result, finding)}: {finding.code} {finding.name}: {finding.message}"


def place_of(result: FileResult, finding: Finding) -> str:
    """``path:line:column``; of a notebook the cell, and the line in it."""
    return f"{result.path}:{finding.place or f'{finding.line}:{finding.column}'}"


def passed_of(result: FileResult) -> list[str]:
    """What was passed over because a comment or the code around it asks for that."""
    return lines_of(result, result.passed)


def lines_of(result: FileResult, findings: Iterable[Finding]) -> list[str]:
    """One line per finding, of those given."""
    return [_line(result, finding) for finding in findings]


def errors_of(result: FileResult) -> list[str]:
    """One line per reason why a file could not be processed."""
    return [f"{place_of_error(result, error)}: {error.message}" for error in result.errors]


def place_of_error(result: FileResult, error: FileError) -> str:
    """``path:line``; of a notebook the cell, and the line in it; the path for a whole file."""
    if error.place is not None:
        return f"{result.path}:{error.place.part}:{error.place.line}"
    return result.path if error.line is None else f"{result.path}:{error.line}"


def era_of(result: FileResult) -> list[str]:
    """The torch versions that a file was written for and what shows it, where anything does."""
    if not result.era.evidence:
        return []
    evidence = "; ".join(result.era.evidence)
    return [f"{result.path}: written for torch {result.era}: {evidence}"]


def pins_of(results: Iterable[FileResult]) -> list[str]:
    """A hint per requirement that makes the files that changed count as old."""
    pins = dict.fromkeys(pin for r in results if r.changed for pin in r.era.pins)
    return [f"{pin}: it dates these files; raise it once they are migrated" for pin in pins]


def ages_of(results: Iterable[FileResult]) -> list[str]:
    """What the next run needs to be told of files that were rewritten, where nothing is kept."""
    found = Counter(dotted(r.era.newest) for r in results if r.changed and r.era.newest)
    return [
        f"How old the code was is not kept (--no-cache): give --from {version} to the next run over"
        f" {count} {'file' if count == 1 else 'files'}."
        for version, count in sorted(found.items())
    ]


class Tally:
    """The counts of a run."""

    def __init__(self) -> None:
        self.files = 0
        self.changed = 0
        self.failed = 0
        self.rewrites: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.names: dict[str, str] = {}
        self.claims: Counter[str] = Counter()
        self.reasons: Counter[Reason] = Counter()

    def add(self, result: FileResult) -> None:
        self.files += 1
        self.changed += result.changed
        self.failed += bool(result.errors)
        for finding in result.findings:
            self.names[finding.code] = finding.name
            if finding.fixed:
                self.rewrites[finding.code] += 1
                self.claims[finding.numerics.value] += 1
                if finding.reason is not None:
                    self.reasons[finding.reason] += 1
            else:
                self.left[finding.code] += 1

    def lines(self, verb: str) -> Iterable[str]:
        """The summary; ``verb`` says what happened to changed files ("rewritten")."""
        yield (
            f"{counted(self.files, 'file')}, {self.changed} {verb}, "
            f"{counted(sum(self.rewrites.values()), 'rewrite')}"
            + (f" ({self._why()}; {self._claims()})" if self.claims else "")
            + f", {sum(self.left.values())} left for a person, {self.failed} not processed"
        )

    def _why(self) -> str:
        return counted_reasons(self.reasons.elements())

    def _claims(self) -> str:
        return ", ".join(f"{self.claims[claim]} {claim}" for claim in sorted(self.claims))


def counted_reasons(reasons: Iterable[Reason | None]) -> str:
    """``3 fails, 16 modern``: how many there are of each; None counts for nothing."""
    found = Counter(reasons)
    return ", ".join(f"{found[reason]} {reason.value}" for reason in Reason if found[reason])


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
