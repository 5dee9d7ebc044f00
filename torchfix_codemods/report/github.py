"""The report for GitHub Actions: commands that annotate the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.report.run import LEVELS, WHY, RunReport, relative

_COMMANDS = {"note": "notice", "warning": "warning"}


def document(report: RunReport) -> str:
    """One command a line; of files that were rewritten only what is left is annotated."""
    return "".join(f"{line}\n" for result in report.told for line in _commands(result, report))


def _commands(result: FileResult, report: RunReport) -> Iterator[str]:
    for error in result.errors:
        place = {"line": str(error.line)} if error.line is not None else {}
        yield _command("error", result, place, "torchfix", error.message)
    for finding in result.findings:
        if not (finding.fixed and report.is_written):
            yield _annotation(result, finding)


def _annotation(result: FileResult, finding: Finding) -> str:
    place = {"line": str(finding.line)}
    message = finding.message
    if finding.fixed:
        why = "" if finding.reason is None else f" {WHY[finding.reason]};"
        message += f" [torchfix migrate rewrites it:{why} numbers: {finding.numerics.value}]"
    else:
        place["col"] = str(finding.column)
    title = f"{finding.code} {finding.name}"
    return _command(_COMMANDS[LEVELS[finding.numerics]], result, place, title, message)


def _command(kind: str, result: FileResult, place: dict[str, str], title: str, message: str) -> str:
    path = relative(result.path) or result.path
    properties = {"file": path, **place, "title": title}
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind} {given}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
