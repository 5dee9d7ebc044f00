"""The report for programs: one JSON object, versioned."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from torchfix_codemods.facts.age.era import Version, dotted
from torchfix_codemods.finding import FileResult, Finding, Reason
from torchfix_codemods.report.run import Replacement, RunReport, hunks, replacements
from torchfix_codemods.report.text import Tally, diff_of
from torchfix_codemods.verify.hunks import Hunk
from torchfix_codemods.version import __version__

#: Raised when a program that reads the document has to be changed; new keys may come without.
FORMAT_VERSION = 2


def document(report: RunReport, with_diff: bool) -> str:
    """All results of a run as one JSON object.

    Files without findings, changes and errors are counted in ``summary.files`` only.
    """
    results, verification = report.results, report.verification
    tally = Tally()
    files = []
    for result in results:
        tally.add(result)
        if result.findings or result.errors or result.changed:
            files.append(_file(result, with_diff, report.is_written))
    summary = {
        "files": tally.files,
        "changed": tally.changed,
        "rewrites": dict(sorted(tally.rewrites.items())),
        "left": dict(sorted(tally.left.items())),
        "reasons": {r.value: tally.reasons[r] for r in Reason if tally.reasons[r]},
        "errors": tally.failed,
    }
    data: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "tool": f"torchfix-codemods {__version__}",
        "files": files,
        "summary": summary,
    }
    if verification is not None:
        from torchfix_codemods.report.verification import as_data

        data["verification"] = as_data(verification)
    return json.dumps(data, indent=1)


def _file(result: FileResult, with_diff: bool, is_written: bool) -> dict[str, Any]:
    parts = [] if is_written else hunks(result)
    entry: dict[str, Any] = {
        "path": result.path,
        "changed": result.changed,
        "findings": [_finding(f, result, parts, is_written) for f in result.findings],
        "era": {
            "oldest": _version(result.era.oldest),
            "newest": _version(result.era.newest),
            "evidence": list(result.era.evidence),
        },
        "error": None,
    }
    if result.errors:
        first = result.errors[0]
        entry["error"] = {"kind": first.kind, "line": first.line, "message": first.message}
        entry["errors"] = [
            {"kind": e.kind, "line": e.line, "message": e.message} for e in result.errors
        ]
    if with_diff:
        entry["diff"] = diff_of(result)
    return entry


def _finding(
    finding: Finding, result: FileResult, parts: Sequence[Hunk], is_written: bool
) -> dict[str, Any]:
    line, column = finding.end or (None, None)
    part = next((part for part in parts if finding in part.findings), None)
    return {
        "code": finding.code,
        "name": finding.name,
        "line": finding.line,
        "column": finding.column,
        "end_line": line,
        "end_column": column,
        "message": finding.message,
        "numerics": finding.numerics.value,
        "reason": None if finding.reason is None else finding.reason.value,
        "fixable": finding.fixed,
        "fixed": finding.fixed and is_written,
        "edits": [] if part is None else [_edit(r) for r in replacements(result, part, parts)],
    }


def _edit(replacement: Replacement) -> dict[str, Any]:
    """Whole lines, and what takes their place; where that is none, the line that it goes above."""
    first, behind = replacement.lines
    return {"start_line": first + 1, "end_line": behind, "text": replacement.text}


def _version(version: Version | None) -> str | None:
    return None if version is None else dotted(version)
