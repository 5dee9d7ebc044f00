"""Unified diffs whose hunks name the rules that change numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from torchfix_codemods.finding import MOVES_NUMBERS, Finding

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def unified_diff(path: str, before: str, after: str, findings: Iterable[Finding] = ()) -> str:
    """Return a diff that ``patch`` accepts.

    A hunk with a rewrite that changes or pins numbers carries its code, name and reason behind the
    second ``@@``, where ``diff`` puts a function's name and ``patch`` reads nothing.

    Args:
        path: the file's name in the two header lines.
        before: the text as it was read.
        after: the text as it is to be written.
        findings: the file's findings.
    """
    import difflib

    marked = [f for f in findings if f.fixed and f.numerics in MOVES_NUMBERS]
    lines = difflib.unified_diff(split_lines(before), split_lines(after), f"a/{path}", f"b/{path}")
    return "".join(_terminated(_mark(line, marked) for line in lines))


def encoded(diff: str, encoding: str) -> bytes:
    """A diff as bytes: the file's lines in its own encoding, its name as the system writes it."""
    lines = split_lines(diff)
    return b"".join(
        [*map(os.fsencode, lines[:2]), *(_encoded(line, encoding) for line in lines[2:])]
    )


def _encoded(line: str, encoding: str) -> bytes:
    # Only lines from the file begin with one of these.
    return line.encode(encoding if line[0] in " +-" else "utf-8")


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only line feeds end a line, as in ``patch``."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _mark(line: str, findings: list[Finding]) -> str:
    match = _HUNK.match(line)
    if match is None:
        return line
    first = int(match[1])
    last = first + int(match[2] or 1) - 1
    reasons = dict.fromkeys(
        f"{f.code} {f.name} ({f.numerics.value}): {f.message}"
        for f in findings
        if first <= f.line <= last
    )
    return line if not reasons else f"{match[0]} {'; '.join(reasons)}\n"


def _terminated(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"
