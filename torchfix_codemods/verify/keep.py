"""Of a migration, what may be written once the program ran."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Sequence
from pathlib import Path

from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.verify.hunks import Change
from torchfix_codemods.verify.verdicts import Verification


def kept_results(
    results: Sequence[FileResult],
    change: Change,
    verification: Verification,
    kept: Collection[str],
    base: Path,
) -> list[FileResult]:
    """The results of a migration with some of its rewrites only.

    Args:
        results: the migration.
        change: the same, in hunks.
        verification: the verdicts.
        kept: the keys of the hunks that stay.
        base: the project's folder.

    Returns:
        results in which the others are findings that were left alone, with the verdict.
    """
    texts = change.texts(kept)
    reasons: dict[str, dict[Finding, str]] = {}
    for judgement in verification.judgements:
        if judgement.hunk.key not in kept and judgement.finding is not None:
            said = f"left alone: verified as {judgement.verdict.value}"
            reasons.setdefault(judgement.hunk.path, {})[judgement.finding] = said
    return [
        _kept(result, texts, reasons, os.path.relpath(Path(result.path).resolve(), base.resolve()))
        for result in results
    ]


def _kept(
    result: FileResult,
    texts: dict[str, str],
    reasons: dict[str, dict[Finding, str]],
    name: str,
) -> FileResult:
    if name not in texts or texts[name] == result.after:
        return result
    refused = reasons.get(name, {})
    findings = tuple(
        dataclasses.replace(f, fixed=False, message=f"{f.message} ({refused[f]})")
        if f in refused
        else f
        for f in result.findings
    )
    text = texts[name]
    if text == result.before:
        return dataclasses.replace(result, findings=findings, before=None, after=None, changes=None)
    return dataclasses.replace(result, findings=findings, after=text, changes=None)
