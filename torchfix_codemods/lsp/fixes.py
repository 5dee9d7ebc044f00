"""What the fix of one place brings along: it may rest on rewrites of others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from torchfix_codemods.finding import FileResult, Finding
from torchfix_codemods.report.run import hunks
from torchfix_codemods.verify.changes.spans import Range

Place = tuple[int, str]
"""The line of a rewrite, counted from 1, and the code of its rule."""


def with_needs(
    wanted: Collection[Finding],
    whole: FileResult,
    again: Callable[[frozenset[Place]], FileResult],
) -> FileResult:
    """The migration that rewrites some places, and no more with them than has to be.

    Args:
        wanted: what is to be rewritten, all of it findings of ``whole``.
        whole: the migration with all rewrites.
        again: migrates the file once more, with the rewrites at these places alone.

    Returns:
        the first of these that rewrites all that is wanted: with what makes the text readable and
        what only makes sense together; with what is on the same lines; with what changes these;
        with what these only make a program with; with all rewrites of these rules, as inference
        code goes under ``no_grad()`` only where all its tensors are without a graph; ``whole``.
        Where one went wrong, or took too long, that one.
    """
    places = {_place(finding) for finding in wanted}
    tried: frozenset[Place] = frozenset()
    for chosen in _wider_and_wider(wanted, whole):
        if chosen == tried:
            continue
        tried = chosen
        result = again(chosen)
        if set(result.errors) - set(whole.errors):
            return result
        if result.after is not None and places <= _rewritten(result.findings):
            return result
    return whole


def certain_needs(wanted: Iterable[Finding], whole: FileResult) -> list[Finding]:
    """Some rewrites, and those that certainly come along.

    Args:
        wanted: what is to be rewritten.
        whole: the migration with all rewrites.
    """
    from torchfix_codemods.engine.migrate import MENDS

    rewritten = [finding for finding in whole.findings if finding.fixed]
    mending = (finding for finding in rewritten if finding.code == MENDS)
    places = _together([*wanted, *mending], rewritten)
    return [finding for finding in rewritten if _place(finding) in places]


def _wider_and_wider(wanted: Collection[Finding], whole: FileResult) -> Iterator[frozenset[Place]]:
    rewritten = [finding for finding in whole.findings if finding.fixed]
    chosen = certain_needs(wanted, whole)
    yield _rewritten(chosen)
    lines = {finding.line for finding in wanted}
    # Without what only goes with these: more of it may be in the way.
    yield _rewritten([*chosen, *(f for f in rewritten if f.line in lines)])
    mine = [hunk for hunk in hunks(whole) if any(finding in wanted for finding in hunk.findings)]
    parts = [lines for hunk in mine for lines, _ in hunk.parts]
    beside = [part for part in parts if any(_is_in(part, finding) for finding in wanted)]
    chosen += [f for f in rewritten if any(_is_in(part, f) for part in beside)]
    yield _together(chosen, rewritten)
    chosen += [finding for hunk in mine for finding in hunk.findings]
    yield _together(chosen, rewritten)
    codes = {finding.code for finding in chosen}
    yield _together([*chosen, *(f for f in rewritten if f.code in codes)], rewritten)


def _is_in(part: Range, finding: Finding) -> bool:
    return part[0] < finding.line <= part[1]


def _together(chosen: Iterable[Finding], rewritten: Iterable[Finding]) -> frozenset[Place]:
    """The places of some rewrites, and of those that only make sense together with them."""
    chosen = list(chosen)
    groups = {finding.group for finding in chosen} - {None}
    return _rewritten([*chosen, *(f for f in rewritten if f.group in groups)])


def _rewritten(findings: Iterable[Finding]) -> frozenset[Place]:
    return frozenset(_place(finding) for finding in findings if finding.fixed)


def _place(finding: Finding) -> Place:
    return finding.line, finding.code
