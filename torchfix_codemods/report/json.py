"""The report for programs: one JSON object, versioned."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from torchfix_codemods.facts.age.era import Version, dotted
from torchfix_codemods.finding import FileResult, Reason
from torchfix_codemods.report.text import Tally, diff_of
from torchfix_codemods.version import __version__

if TYPE_CHECKING:
    from torchfix_codemods.verify.verdicts import Verification

#: Raised when a program that reads the document has to be changed; new keys may come without.
FORMAT_VERSION = 1


def document(
    results: Iterable[FileResult], with_diff: bool, verification: Verification | None = None
) -> str:
    """All results of a run as one JSON object.

    Files without findings, changes and errors are counted in ``summary.files`` only.
    """
    tally = Tally()
    files = []
    for result in results:
        tally.add(result)
        if result.findings or result.errors or result.changed:
            files.append(_file(result, with_diff))
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


def _file(result: FileResult, with_diff: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "path": result.path,
        "changed": result.changed,
        "findings": [
            {
                "code": f.code,
                "name": f.name,
                "line": f.line,
                "column": f.column,
                "message": f.message,
                "numerics": f.numerics.value,
                "reason": None if f.reason is None else f.reason.value,
                "fixed": f.fixed,
            }
            for f in result.findings
        ],
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


def _version(version: Version | None) -> str | None:
    return None if version is None else dotted(version)
