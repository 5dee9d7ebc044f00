"""Of a migration, what may be written once the program ran."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Sequence
from pathlib import Path

from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.verify.changes.wholeness import Whole
from torchfix_codemods.verify.hunks import Change, FileChange, Hunk
from torchfix_codemods.verify.verdicts import VERIFIED, Verification


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
    whole = _whole(change, kept)
    texts = change.texts(whole)
    reasons: dict[str, dict[Finding, str]] = {}
    for judgement in verification.judgements:
        if judgement.hunk.key not in whole and judgement.finding is not None:
            said = f"left alone: verified as {judgement.verdict.value}"
            if judgement.hunk.key in kept or judgement.verdict in VERIFIED:
                said += ", but it only makes sense together with one that is left"
            reasons.setdefault(judgement.hunk.path, {})[judgement.finding] = said
    return [
        _kept(result, texts, reasons, os.path.relpath(Path(result.path).resolve(), base.resolve()))
        for result in results
    ]


def _whole(change: Change, kept: Collection[str]) -> frozenset[str]:
    """Of some hunks those that make sense without all others."""
    chosen = frozenset(kept)
    while True:
        left = {g for h in change.hunks if h.key not in chosen for g in _groups(h)}
        torn = {h.key for h in change.hunks if h.key in chosen and left & _groups(h)}
        torn |= {key for file in change.files for key in _torn(change, file, chosen - torn)}
        if not torn:
            return chosen
        chosen -= torn


def _groups(hunk: Hunk) -> set[str]:
    """The groups of a hunk's rewrites that may have members in other files."""
    return {f.group for f in hunk.findings if f.group is not None and os.sep in f.group}


def _torn(change: Change, file: FileChange, chosen: frozenset[str]) -> frozenset[str]:
    """The hunks of a file without which what is left of the chosen ones is a program again."""
    whole = Whole(file.before, file.after)
    rest = [h.key for h in change.hunks if h.path == file.path and h.key in chosen]
    torn: set[str] = set()

    def size_without(key: str) -> float:
        return whole.size(change.text(file, chosen - torn - {key}))

    while rest and whole.size(change.text(file, chosen - torn)):
        worst = min(rest, key=size_without)
        rest.remove(worst)
        torn.add(worst)
    return frozenset(torn)


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
