"""What the settings say for one file: which rules, and what a migration needs to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.facts.age.era import Era, parse_version
from torchfix_codemods.finding import NEEDED, Finding, Numerics, Reason
from torchfix_codemods.runs.discovery import is_meant
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.settings.nearest import settings_of

if TYPE_CHECKING:
    from torchfix_codemods.engine.migrate import Options
    from torchfix_codemods.project.files import FilesOf
    from torchfix_codemods.rule import Rule


def rules_for(path: Path, settings: Settings) -> Sequence[Rule]:
    """The rules that the settings leave for a file."""
    from torchfix_codemods.rules import select

    settings = settings_of(path, settings)
    chosen = select(settings.select, _ignored_for(path, settings), settings.extend_select)
    if settings.to_version is None:
        return chosen
    newest = parse_version(settings.to_version)
    return [rule for each in chosen if (rule := each.for_target(newest)) is not None]


def _ignored_for(path: Path, settings: Settings) -> list[str]:
    """The selectors of what the settings keep away from a file."""
    ignored = list(settings.ignore)
    for pattern, rules in settings.per_file_ignores:
        if is_meant(path, [pattern], settings.root):
            ignored += rules
    return ignored


def wanted_findings(
    findings: Sequence[Finding], path: Path, settings: Settings
) -> tuple[Finding, ...]:
    """The findings without advice that is no rule's, and that the settings ignore."""
    ignored = _ignored_for(path, settings)
    if not ignored:
        return tuple(findings)
    from torchfix_codemods.rules import ignorable

    codes = {code for selector in ignored for code in ignorable(selector)}
    return tuple(each for each in findings if each.fixed or each.code not in codes)


def with_target(era: Era, settings: Settings) -> Era:
    """The era with what ``--to`` did beside it."""
    if settings.to_version is None:
        return era
    note = f"--to {settings.to_version}: rules that need a newer torch are left out"
    return replace(era, evidence=(*era.evidence, note))


def options_for(path: Path, settings: Settings, files: FilesOf | None = None) -> Options:
    """What a migration of one file needs to know besides its text.

    Args:
        path: the file.
        settings: what to apply.
        files: the other files of its project; looked up anew where not given.
    """
    from torchfix_codemods.engine.migrate import MENDS, Options
    from torchfix_codemods.project.files import FilesOf
    from torchfix_codemods.project.index import Index

    settings = settings_of(path, settings)
    mends = None
    if settings.select and not any(rule.code == MENDS for rule in rules_for(path, settings)):
        allowed = rules_for(path, replace(settings, select=()))
        mends = next((rule for rule in allowed if rule.code == MENDS), None)
    numerics = frozenset(Numerics) - ({Numerics.CHANGED} if settings.safe else set())
    era = None
    if settings.from_version is not None:
        version = parse_version(settings.from_version)
        era = Era(version, version, (f"--from {settings.from_version}",), uses=version)
    files = FilesOf(path, Index()) if files is None else files
    return Options(
        device_name=settings.device_name,
        era=era,
        numerics=numerics,
        reasons=NEEDED if settings.needed else frozenset(Reason),
        imported_elsewhere=files.is_imported_elsewhere,
        used_elsewhere=files.is_used_elsewhere,
        mentioned_elsewhere=files.is_mentioned_elsewhere,
        attribute_read=files.is_attribute_read,
        required=files.required,
        beside=files.shown_beside,
        needed=files.needed if era is None else tuple,
        files=files,
        keeps_ages=settings.cache_dir is not None,
        mends=mends,
        enabled=lambda: frozenset() if settings.py2 else _enabled(path, settings),
    )


def _enabled(path: Path, settings: Settings) -> frozenset[str]:
    return frozenset(rule.code for rule in rules_for(path, settings))
