"""The report for code scanning: SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from torchfix_codemods.finding import FileError, FileResult, Finding, Numerics, Reason
from torchfix_codemods.remarks import REMARKS, Remark, page_of_remark
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.report.links import address_of
from torchfix_codemods.report.manual.markdown import page
from torchfix_codemods.report.run import LEVELS, Replacement, RunReport, hunks, replacements, uri_of
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules
from torchfix_codemods.verify.hunks import Hunk
from torchfix_codemods.version import __version__

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "%SRCROOT%"


def document(report: RunReport) -> str:
    """All findings of a run as a SARIF log, with a fix for each place that can be rewritten."""
    known = {rule.code: rule for rule in all_rules()} | {each.code: each for each in REMARKS}
    codes = sorted({f.code for result in report.told for f in result.findings} & known.keys())
    results = [entry for result in report.told for entry in _results(result, codes, report)]
    notifications = [
        _notification(result, error) for result in report.told for error in result.errors
    ]
    invocation: dict[str, Any] = {"executionSuccessful": not notifications}
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    driver = {
        "name": "torchfix-codemods",
        "version": __version__,
        "rules": [_descriptor(known[code]) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder of the run."}}},
        "invocations": [invocation],
        "properties": {"rewrites": {r.value: report.tally.reasons[r] for r in Reason}},
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _descriptor(rule: Rule | Remark) -> dict[str, Any]:
    if isinstance(rule, Remark):
        return _descriptor_of_remark(rule)
    text = page(rule)
    address = address_of(rule.code)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary()},
        "fullDescription": {"text": rule.message},
        "help": {"text": text, "markdown": text},
        **({} if address is None else {"helpUri": address}),
        "defaultConfiguration": {"level": LEVELS[rule.numerics]},
        "properties": {"numerics": rule.numerics.value, "since": rule.since},
    }


def _descriptor_of_remark(remark: Remark) -> dict[str, Any]:
    text = page_of_remark(remark)
    return {
        "id": remark.code,
        "name": remark.name,
        "shortDescription": {"text": " ".join(remark.page.partition(". ")[0].split()) + "."},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": LEVELS[Numerics.ADVICE]},
    }


def _results(result: FileResult, codes: list[str], report: RunReport) -> list[dict[str, Any]]:
    parts = [] if report.is_written or _has_old_line_ends(result) else hunks(result)
    entries = []
    for finding in result.findings:
        entry: dict[str, Any] = {
            "ruleId": finding.code,
            "level": LEVELS[finding.numerics],
            "message": {"text": finding.message},
            "locations": [_location(result, {"startLine": finding.line, **_column(finding)})],
            "properties": _properties(finding),
        }
        if finding.code in codes:
            entry["ruleIndex"] = codes.index(finding.code)
        part = next((p for p in parts if finding in p.findings), None)
        if part is not None:
            entry["fixes"] = [_fix(result, finding, part, parts)]
        entries.append(entry)
    return entries


def _properties(finding: Finding) -> dict[str, Any]:
    found = {"numerics": finding.numerics.value, "rewritten": finding.fixed}
    return found if finding.reason is None else {**found, "reason": finding.reason.value}


def _column(finding: Finding) -> dict[str, int]:
    if finding.end is not None:
        line, column = finding.end
        return {"startColumn": finding.column, "endLine": line, "endColumn": column}
    # A second rewrite of a line counts in the line that the first one wrote.
    return {} if finding.fixed else {"startColumn": finding.column}


def _has_old_line_ends(result: FileResult) -> bool:
    return "\r" in (result.before or "").replace("\r\n", "\n")


def _fix(result: FileResult, finding: Finding, part: Hunk, parts: Sequence[Hunk]) -> dict[str, Any]:
    assert result.before is not None
    lines = split_lines(result.before)
    changes = [
        {"deletedRegion": _region(r, lines), "insertedContent": {"text": r.text}}
        for r in replacements(result, part, parts)
    ]
    return {
        "description": {"text": finding.message},
        "artifactChanges": [{"artifactLocation": _artifact(result), "replacements": changes}],
    }


def _region(replacement: Replacement, lines: Sequence[str]) -> dict[str, int]:
    """Whole lines, from the beginning of the first to that of the one behind the last."""
    first, behind = replacement.lines
    region = {"startLine": first + 1, "startColumn": 1, "endLine": behind + 1, "endColumn": 1}
    if behind > first and behind == len(lines) and not lines[-1].endswith("\n"):
        region |= {"endLine": behind, "endColumn": len(lines[-1]) + 1}
    return region


def _notification(result: FileResult, error: FileError) -> dict[str, Any]:
    region = None if error.line is None else {"startLine": error.line}
    return {
        "descriptor": {"id": error.kind},
        "level": "error",
        "message": {"text": error.message},
        "locations": [_location(result, region)],
    }


def _location(result: FileResult, region: dict[str, int] | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(result)}
    if region is not None:
        place["region"] = region
    return {"physicalLocation": place}


def _artifact(result: FileResult) -> dict[str, str]:
    uri = uri_of(result.path)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": _ROOT}
