"""The report of a run in Markdown, for a pull request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from torchfix_codemods.finding import FileResult, Finding, Numerics, Reason
from torchfix_codemods.report.causes import Cause, causes, grouped
from torchfix_codemods.report.run import MEANINGS, WHY, RunReport
from torchfix_codemods.report.text import counted, diff_of, place_of_error

#: GitHub takes 65,536 characters for a comment; diffs are left out behind this many.
_ROOM = 50_000

#: Of that, how many what is left may take, and what could not be read.
_ROOM_OF_LEFT, _ROOM_OF_UNREAD = 20_000, 8_000

#: How many places are named of what is said of many.
_MOST = 10


def document(report: RunReport) -> str:
    """The same as the page has: counts, diffs with their reasons, and what is left."""
    parts = [
        *_head(report),
        *_rules(report),
        *_why(report),
        *_claims(report),
        *_left(report),
        *_unread(report),
    ]
    if report.verification is not None:
        from torchfix_codemods.report.verification import markdown

        parts += ["", markdown(report.verification).rstrip("\n")]
    parts += _changes(report, _ROOM - sum(map(len, parts)))
    return "\n".join(parts) + "\n"


def _head(report: RunReport) -> Iterator[str]:
    tally = report.tally
    verb = "rewritten" if report.is_written else "to rewrite"
    yield "## torchfix report"
    yield ""
    yield (
        f"{counted(tally.files, 'file')} read, **{tally.changed} {verb}**,"
        f" {counted(sum(tally.rewrites.values()), 'rewrite')},"
        f" {counted(sum(tally.left.values()), 'place')} left for a person,"
        f" {counted(tally.failed, 'file')} not processed."
    )


def _rules(report: RunReport) -> Iterator[str]:
    tally = report.tally
    if not tally.names:
        return
    files = Counter(code for r in report.told for code in {f.code for f in r.findings})
    yield from ("", "| rule | rewrites | left | files |", "|---|--:|--:|--:|")
    for code in sorted(tally.names):
        counts = f"{tally.rewrites[code]} | {tally.left[code]} | {files[code]}"
        yield f"| {code} {tally.names[code]} | {counts} |"


def _why(report: RunReport) -> Iterator[str]:
    reasons = report.tally.reasons
    if not reasons:
        return
    yield from ("", "| why | meaning | rewrites |", "|---|---|--:|")
    for reason in Reason:
        if reasons[reason]:
            yield f"| {reason.value} | {WHY[reason]} | {reasons[reason]} |"


def _claims(report: RunReport) -> Iterator[str]:
    rewrites = Counter(f.numerics for r in report.told for f in r.findings if f.fixed)
    if not rewrites:
        return
    yield from ("", "| numbers | meaning | rewrites |", "|---|---|--:|")
    for claim in Numerics:
        if rewrites[claim]:
            yield f"| {claim.value} | {MEANINGS[claim]} | {rewrites[claim]} |"


def _left(report: RunReport) -> Iterator[str]:
    rows = [
        f"| {each.finding.code} {each.finding.name} | {_cell(each.finding.message)}"
        f" | {_places(each)} |"
        for each in causes(report.told, lambda finding: not finding.fixed)
    ]
    if rows:
        yield from (
            "",
            "### Left for a person",
            "",
            "| rule | what to do | places |",
            "|---|---|---|",
        )
        yield from _fitting(rows, _ROOM_OF_LEFT, "| | {} more: `torchfix check` lists them | |")


def _places(cause: Cause) -> str:
    """The places of a cause, one a line, and how many more there are."""
    places = [_code(f"{result.path}:{_line(finding)}") for result, finding in cause.found]
    places = list(dict.fromkeys(places))
    # One more takes no more room than to say that there is one.
    shown = places if len(places) <= _MOST + 1 else places[:_MOST]
    if len(shown) < len(places):
        shown = [*shown, f"and {len(places) - len(shown)} more"]
    return "<br>".join(shown)


def _fitting(rows: Sequence[str], room: int, rest: str) -> Iterator[str]:
    """The rows of a table that have room, and a last one that counts the others."""
    shown = 0
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            break
        shown += 1
        yield row
    if shown < len(rows):
        yield rest.format(len(rows) - shown)


def _unread(report: RunReport) -> Iterator[str]:
    rows = [
        f"| {_code(place_of_error(result, e))} | {_cell(e.message)} |"
        for result in report.told
        for e in result.errors
    ]
    if rows:
        yield from ("", "### Not processed", "", "| place | why |", "|---|---|")
        yield from _fitting(rows, _ROOM_OF_UNREAD, "| | {} more: `torchfix check` lists them |")


def _changes(report: RunReport, room: int) -> Iterator[str]:
    changed = [result for result in report.told if result.changed]
    if not changed:
        return
    yield from ("", "### Changes")
    left_out = []
    for result in changed:
        text = "\n".join(_change(result, report))
        room -= len(text)
        if room < 0:
            left_out.append(result)
        else:
            yield text
    if left_out:
        count = len(left_out)
        yield from ("", f"The diff of {count} more file{'s' * (count != 1)} has no room here:", "")
        yield from (f"- {_code(result.path)}" for result in left_out[:100])
        if count > 100:
            yield f"- and {count - 100} more"


def _change(result: FileResult, report: RunReport) -> Iterator[str]:
    diff = diff_of(result)
    longest = max(map(len, re.findall("`+", diff)), default=0)
    fence = "`" * max(3, longest + 1)
    fixed = [f for f in result.findings if f.fixed]
    yield ""
    yield f"<details><summary>{_text(result.path)} ({len(fixed)})</summary>"
    yield ""
    for cause in grouped((result, finding) for finding in fixed):
        first, places = cause.finding, [finding for _, finding in cause.found]
        verdicts = {j.verdict.value: None for f in places for j in report.judgements(result, f)}
        said = f", {', '.join(verdicts)}" if verdicts else ""
        lines = list(dict.fromkeys(map(_line, places)))
        word = ("line " if len(lines) == 1 else "lines ") if first.place is None else ""
        yield (
            f"- {word}{', '.join(lines)}: {first.code} {first.name}"
            f" ({_claim(first)}{said}): {_cell(first.message)}"
        )
    yield from ("", f"{fence}diff", diff.rstrip("\n"), fence, "", "</details>")


def _claim(finding: Finding) -> str:
    """Why it is rewritten, and what that does to the numbers."""
    why = "" if finding.reason is None else f"{finding.reason.value}, "
    return why + finding.numerics.value


def _line(finding: Finding) -> str:
    """The line of a finding; of a notebook the cell, and the line in it."""
    place = finding.place
    return str(finding.line) if place is None else f"{place.part}:{place.line}"


def _cell(text: str) -> str:
    return _text(text.replace("\n", " ")).replace("|", "\\|")


def _text(text: str) -> str:
    # Inside of a word an underline is one.
    return (
        re.sub(r"([\\`*\[\]~]|\b_|_\b)", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")
    )


def _code(text: str) -> str:
    """A path as code; no mark in it can end that."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|").replace("\n", " ")
