"""What a remark says of several lines of a file, which is said once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from torchfix_codemods.finding import Finding
from torchfix_codemods.remarks import DIVISION
from torchfix_codemods.text.wording import other_lines, other_lines_apart


def told_once(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in which the first division of which something is told names the lines of others.

    Args:
        findings: those of a file.
    """
    return [*_together(findings, True)]


def told_once_in_pieces(findings: Iterable[Finding]) -> list[Finding]:
    """The same for a program in pieces, where each line gets another name in the end.

    Args:
        findings: those of the program.
    """
    return [*_together(findings, False)]


def apart(finding: Finding) -> Iterator[Finding]:
    """What is said of each line that a finding speaks of.

    Args:
        finding: one of ``told_once``.
    """
    message = finding.message
    if finding.also:
        message = message.removesuffix(_so_in(finding.also))
    for line in (finding.line, *finding.also):
        yield replace(finding, line=line, message=message, also=())


def _together(findings: Iterable[Finding], is_file: bool) -> Iterator[Finding]:
    alike: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.code == DIVISION.code and not finding.fixed:
            alike.setdefault(finding.message, []).append(finding)
        else:
            yield finding
    for message, said in alike.items():
        first = min(said)
        also = tuple(sorted({each.line for each in said} - {first.line}))
        if not also:
            yield first
        elif is_file:
            yield replace(first, message=message + _so_in(also), also=also)
        else:
            yield replace(first, message=f"{message}, and so in {other_lines_apart(also)}")


def _so_in(lines: tuple[int, ...]) -> str:
    return f", and so in {other_lines(lines)}"
