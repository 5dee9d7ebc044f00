"""What the equivalence harness found out: for the terminal, as JSON, as Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.verify.comparing.compare import Difference
from torchfix_codemods.verify.verdicts import (
    FAILED,
    SAME,
    Judgement,
    Outcome,
    Verdict,
    Verification,
)
from torchfix_codemods.version import __version__

#: A comment on GitHub has no room for more rewrites.
_MOST_ROWS = 100

#: The version of the JSON document.
FORMAT_VERSION = 1


def lines(verification: Verification) -> Iterator[str]:
    """A table for the terminal: one line for each rewrite, details for those that failed.

    Those that were not executed are named file by file: a run rarely comes to all of a project.
    """
    judgements = [j for j in verification.judgements if j.verdict is not Verdict.NOT_EXECUTED]
    rows = [cells(judgement) for judgement in judgements]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for judgement, row in zip(judgements, rows, strict=True):
        padded = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield f"{padded}  {row[3]}".rstrip()
        yield from (f"    {line}" for line in details(judgement.outcome))
    yield from _not_executed(verification)
    yield ""
    yield from (f"note: {note}" for note in verification.notes)
    if verification.output:
        yield "the program, as it was, said last:"
        yield from (f"    {line}" for line in verification.output.splitlines())
    yield summary(verification)
    yield from left_to_do(verification)


def left_to_do(verification: Verification) -> list[str]:
    """What a reader must not miss behind verdicts that are all good."""
    said = []
    if verification.bundle:
        said.append(
            f"the first difference can be seen again with: python {verification.bundle}/repro.py"
        )
    if verification.still_fails:
        said.append(
            f"the rewritten program still fails on today's torch: {verification.still_fails}"
            " (it was compared with a stand-in for the old torch there)"
        )
    if verification.still_differs:
        said.append(
            "the rewritten program still computes something else on today's torch than the old one"
            f" did: {verification.still_differs}; what is said of rewrites holds with a stand-in"
            " for the old torch"
        )
    return said


def _not_executed(verification: Verification) -> Iterator[str]:
    by_path: dict[str, list[int]] = {}
    for judgement in verification.judgements:
        if judgement.verdict is Verdict.NOT_EXECUTED and judgement.hunk.whole is not None:
            yield f"{judgement.hunk.path}: {_unruled(judgement)[1:-1]}, never opened"
        elif judgement.verdict is Verdict.NOT_EXECUTED:
            by_path.setdefault(judgement.hunk.path, []).append(judgement.line)
    for path, found in by_path.items():
        shown = ", ".join(map(str, dict.fromkeys(found)))
        yield f"{path}: {len(found)} not executed (lines {shown})"


def details(outcome: Outcome) -> Iterator[str]:
    """Where two runs part first, and what was to be seen there."""
    if outcome.verdict in FAILED and outcome.output:
        yield "the program said last:"
        yield from (f"  {line}" for line in outcome.output.splitlines())
    difference = outcome.difference
    if outcome.verdict not in FAILED or difference is None:
        return
    yield f"first differing event: {event_name(difference)}"
    yield f"  before: {difference.values[0]}{_at(difference.before)}"
    yield f"  after:  {difference.values[1]}{_at(difference.after)}"
    if outcome.apart:
        yield f"  first differing tensor: {outcome.apart}"
    if outcome.operation is not None:
        yield f"  first operation that differs: {outcome.operation}"


def event_name(difference: Difference) -> str:
    """An event in a few words: what happened, for the how-manyth time, which part of it."""
    event = difference.before or difference.after or {}
    what = event.get("root") or event.get("file") or event.get("test") or ""
    name = " ".join(part for part in (difference.kind, what) if part)
    path = difference.path.partition(".")[2] or difference.path
    shown = f" ({path})" if path not in ("", "value") else ""
    process = "" if difference.stream == "main" else f" in {difference.stream}"
    return f"{name} #{difference.ordinal}{shown}{process}"


def summary(verification: Verification) -> str:
    """One line: how many rewrites have which verdict, and what it took."""
    counts = Counter(judgement.verdict for judgement in verification.judgements)
    said = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    total = len(verification.judgements)
    if not total:
        return "0 rewrites: nothing to verify"
    devices = ", ".join(verification.devices)
    return (
        f"{total} rewrite{'s' * (total != 1)}: {said}"
        f" ({verification.runs} runs on {devices}, {verification.events} events compared,"
        f" {verification.seconds:.1f} s)"
    )


def document(verification: Verification) -> str:
    """The verification as a JSON document."""
    return json.dumps(as_data(verification), indent=1)


def as_data(verification: Verification) -> dict[str, Any]:
    """The verification as JSON knows it."""
    return {
        "version": FORMAT_VERSION,
        "tool": f"torchfix-codemods {__version__}",
        "command": verification.command,
        "versions": verification.versions,
        "devices": list(verification.devices),
        "runs": verification.runs,
        "seconds": round(verification.seconds, 3),
        "events": verification.events,
        "notes": verification.notes,
        "output": verification.output,
        "still_fails": verification.still_fails,
        "still_differs": verification.still_differs,
        "bundle": verification.bundle,
        "rewrites": [_entry(judgement) for judgement in verification.judgements],
    }


def markdown(verification: Verification) -> str:
    """The verification as a comment for a pull request."""
    failed = verification.failed
    head = "some rewrites move the numbers" if failed else "no rewrite was caught moving a number"
    parts = [
        f"### `torchfix verify`: {head}",
        "",
        summary(verification),
        "",
        f"Command: `{verification.command}`"
        f" (torch {verification.versions.get('torch')},"
        f" Python {verification.versions.get('python')})",
        "",
        "| where | rewrite | verdict | |",
        "|---|---|---|---|",
    ]
    # Those that failed are never among the ones without room.
    numbered = list(enumerate(verification.judgements))
    numbered.sort(key=lambda pair: pair[1].verdict not in FAILED)
    told = [judgement for _, judgement in sorted(numbered[:_MOST_ROWS], key=lambda pair: pair[0])]
    for judgement in told:
        place, name, verdict, reason = map(_cell, cells(judgement))
        parts.append(f"| {place} | {name} | {verdict} | {reason} |")
    if len(told) < len(verification.judgements):
        parts.append(f"| | | | {len(verification.judgements) - len(told)} more |")
    for judgement in told:
        shown = list(details(judgement.outcome))
        if shown:
            place, name, *_ = cells(judgement)
            parts += ["", f"**{place} {name}**", "", "```", *shown, "```"]
    notes = [*verification.notes, *left_to_do(verification)]
    if notes:
        parts += ["", *(f"- {note}" for note in notes)]
    if verification.output:
        said = [f"    {line}" for line in verification.output.splitlines()]
        parts += ["", "The program, as it was, said last:", "", *said]
    return "\n".join(parts) + "\n"


def cells(judgement: Judgement) -> tuple[str, str, str, str]:
    """Where a rewrite is, which it is, the verdict, and the reason for it."""
    finding = judgement.finding
    name = _unruled(judgement) if finding is None else f"{finding.code} {finding.name}"
    place = judgement.hunk.path
    if judgement.hunk.whole is None:
        place = f"{place}:{judgement.line}"
    return place, name, judgement.verdict.value, judgement.outcome.reason


def _unruled(judgement: Judgement) -> str:
    if judgement.hunk.whole is not None:
        return f"(file {judgement.hunk.whole.kind})"
    return "(imports)" if judgement.hunk.is_scaffold else "(change)"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _at(event: dict[str, Any] | None) -> str:
    place = (event or {}).get("at")
    return f"  ({place})" if place else ""


def _entry(judgement: Judgement) -> dict[str, Any]:
    finding, hunk = judgement.finding, judgement.hunk
    return {
        "path": hunk.path,
        "line": judgement.line,
        "before_lines": [hunk.before_lines[0] + 1, hunk.before_lines[1]],
        "after_lines": [hunk.after_lines[0] + 1, hunk.after_lines[1]],
        "whole": None if hunk.whole is None else hunk.whole.kind,
        "code": None if finding is None else finding.code,
        "name": None if finding is None else finding.name,
        "numerics": None if finding is None else finding.numerics.value,
        "verdict": judgement.verdict.value,
        "devices": {device: _outcome(outcome) for device, outcome in judgement.outcomes.items()},
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    difference = outcome.difference
    return {
        "verdict": outcome.verdict.value,
        "reason": outcome.reason,
        "output": outcome.output,
        "bit_for_bit": outcome.verdict in SAME and outcome.is_exact,
        "operation": outcome.operation,
        "apart": outcome.apart,
        "first_difference": None
        if difference is None
        else {
            "event": event_name(difference),
            "before": difference.values[0],
            "after": difference.values[1],
            "before_at": (difference.before or {}).get("at"),
            "after_at": (difference.after or {}).get("at"),
        },
    }
