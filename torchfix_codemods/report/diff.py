"""Unified diffs whose hunks name the rules that change numbers, or take something away."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.finding import MOVES_NUMBERS, Finding, LineChange
from torchfix_codemods.patterns import lazy_pattern

_CONTEXT = 3

#: So many messages of one rule stand at a hunk; a function with seven buffers has seven.
_MOST_SAID = 2

_HUNK = lazy_pattern(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def unified_diff(
    path: str,
    before: str,
    after: str,
    findings: Iterable[Finding] = (),
    changes: Sequence[LineChange] | None = None,
    *,
    is_patch: bool = True,
) -> str:
    """Return a diff that ``patch`` accepts.

    A hunk with a rewrite that changes or pins numbers, or takes something else away, carries its
    code, name and reason behind the second ``@@``, where ``diff`` puts a function's name and
    ``patch`` reads nothing.

    Args:
        path: the file's name in the two header lines.
        before: the text as it was read.
        after: the text as it is to be written.
        findings: the file's findings.
        changes: which lines become which, where that is known.
        is_patch: whether ``patch`` is to find the file; else the name is for people only.
    """
    marked = [f for f in findings if f.fixed and (f.loses or f.numerics in MOVES_NUMBERS)]
    old, new = split_lines(before), split_lines(after)
    if changes is None:
        from torchfix_codemods.report.matching import changed_lines

        changes = changed_lines(old, new)
    hunks = [line for group in _near(changes) for line in _hunk(old, new, group)]
    named = _as_in_patches if is_patch else str
    header = [f"--- {named(f'a/{path}')}\n", f"+++ {named(f'b/{path}')}\n"] if hunks else []
    if marked:
        hunks = [_mark(line, marked) for line in hunks]
    return "".join(_terminated([*header, *hunks]))


_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _as_in_patches(name: str) -> str:
    """A name such that ``patch`` and ``git apply`` see where it ends, written as git does."""
    escaped = "".join(
        _ESCAPES.get(char) or (f"\\{ord(char):03o}" if char < " " else char) for char in name
    )
    if escaped != name:
        return f'"{escaped}"'
    return f"{name}\t" if " " in name else name


def _near(changes: Iterable[LineChange]) -> list[list[LineChange]]:
    """Changes together where what is shown around them would meet."""
    groups: list[list[LineChange]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * _CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(before: list[str], after: list[str], changes: list[LineChange]) -> Iterator[str]:
    (first, _, new_first, _), (_, last, _, new_last) = changes[0], changes[-1]
    above, below = min(_CONTEXT, first), min(_CONTEXT, len(before) - last)
    old, new = _range(first - above, last + below), _range(new_first - above, new_last + below)
    yield f"@@ -{old} +{new} @@\n"
    shown = first - above
    for a, b, c, d in changes:
        yield from (f" {line}" for line in before[shown:a])
        yield from (f"-{line}" for line in before[a:b])
        yield from (f"+{line}" for line in after[c:d])
        shown = b
    yield from (f" {line}" for line in before[shown : shown + below])


def _range(start: int, stop: int) -> str:
    """Lines from ``start``, counted from 0, up to ``stop``, as a hunk's head tells them."""
    count = stop - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


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
    return io.StringIO(text, newline="\n").readlines()


def _mark(line: str, findings: list[Finding]) -> str:
    match = _HUNK.match(line)
    if match is None:
        return line
    first = int(match[1])
    last = first + int(match[2] or 1) - 1
    messages: dict[str, dict[str, None]] = {}
    for f in findings:
        if first <= f.line <= last:
            rule = f"{f.code} {f.name} ({f.numerics.value})"
            messages.setdefault(rule, {})[f.message] = None
    reasons = [_reason(rule, list(said)) for rule, said in messages.items()]
    return line if not reasons else f"{match[0]} {'; '.join(reasons)}\n"


def _reason(rule: str, messages: list[str]) -> str:
    """What a rule says of a hunk: the first of its messages, and how many more there are."""
    said = "; ".join(messages[:_MOST_SAID])
    others = len(messages) - _MOST_SAID
    return f"{rule}: {said} (and {others} more)" if others > 0 else f"{rule}: {said}"


def _terminated(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"
