"""The report for GitLab: code quality, which merge requests show at their lines.

The format: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.finding import FileResult, Finding, Rank
from torchfix_codemods.report.run import RunReport, relative

_SEVERITIES = {Rank.FAILS: "major", Rank.DIFFERS: "major", Rank.WARNS: "minor", Rank.OTHER: "minor"}

#: Other lines that a message names.
_LINES = re.compile(r"\blines? \d+(?:(?:, | and | to )\d+)*|\(\d+ to \d+\)")


def document(report: RunReport) -> str:
    """A list of issues; of files that were rewritten only what is left is one."""
    seen: Counter[str] = Counter()
    found = [issue for result in report.told for issue in _issues(result, report, seen)]
    return json.dumps(found, indent=1) + "\n"


def _issues(result: FileResult, report: RunReport, seen: Counter[str]) -> Iterator[dict[str, Any]]:
    for error in result.errors:
        yield _issue(result, error.line or 1, "torchfix", error.message, "blocker", seen)
    for finding in result.findings:
        if not (finding.fixed and report.is_written):
            check = f"{finding.code} {finding.name}"
            yield _issue(result, finding.line, check, _said(finding), _severity(finding), seen)


def _said(finding: Finding) -> str:
    return finding.message + (" [torchfix migrate rewrites it]" if finding.fixed else "")


def _severity(finding: Finding) -> str:
    return "info" if finding.fixed else _SEVERITIES[finding.rank]


def _issue(
    result: FileResult, line: int, check: str, message: str, severity: str, seen: Counter[str]
) -> dict[str, Any]:
    path = relative(result.path) or result.path
    # No line: what moved with the lines above it is the same issue.
    same = f"{path}\0{check}\0{_LINES.sub('', message)}"
    seen[same] += 1
    digest = hashlib.sha256(f"{same}\0{seen[same]}".encode("utf-8", "surrogateescape"))
    return {
        "description": message,
        "check_name": check,
        "fingerprint": digest.hexdigest(),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
    }
