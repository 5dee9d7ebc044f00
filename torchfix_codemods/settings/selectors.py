"""Whether what settings and options say of rules and versions of torch means anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from torchfix_codemods.settings.config import ConfigError, Settings

#: The options that name rules, by their names as parameters.
LISTS = ("select", "extend_select", "ignore")


def check_settings(settings: Settings, where: str) -> None:
    """Refuse settings of a file that name no rule, or no version.

    Args:
        settings: what stands in the file.
        where: the file, in front of what is wrong.

    Raises:
        ConfigError: one does.
    """
    selected = {
        f"{where}: select": settings.select,
        f"{where}: extend-select": settings.extend_select,
    }
    ignored = {f"{where}: ignore": settings.ignore}
    for pattern, rules in settings.per_file_ignores:
        ignored[f'{where}: per-file-ignores, "{pattern}"'] = rules
    versions = {f"{where}: from": settings.from_version, f"{where}: to": settings.to_version}
    _check(selected, ignored, versions)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options of the command line that name no rule, or no version.

    Args:
        options: those of the command, by their names as parameters; others are passed over.

    Raises:
        ConfigError: one does.
    """
    nothing = dict.fromkeys(LISTS, ())
    given = {**nothing, "from_version": None, "to_version": None, **options}
    for name in LISTS:
        # An empty text would stand for all rules, or none.
        if not all(split_rules(value) for value in given[name]):
            raise ConfigError(f"--{name.replace('_', '-')} names no rule (see `torchfix rules`)")
    selected = {
        "--select": tuple(_all_rules(given["select"])),
        "--extend-select": tuple(_all_rules(given["extend_select"])),
    }
    ignored = {"--ignore": tuple(_all_rules(given["ignore"]))}
    versions = {"--from": given["from_version"], "--to": given["to_version"]}
    _check(selected, ignored, versions)


def split_rules(value: str) -> list[str]:
    """The rules that one value of an option names, with commas between them."""
    return [part.strip() for part in value.split(",") if part.strip()]


def _all_rules(values: Sequence[str]) -> Iterator[str]:
    for value in values:
        yield from split_rules(value)


def _check(
    selected: Mapping[str, Sequence[str]],
    ignored: Mapping[str, Sequence[str]],
    versions: Mapping[str, str | None],
) -> None:
    for where, rules in (*selected.items(), *ignored.items()):
        for rule in rules:
            _check_rule(rule, where, is_ignored=where in ignored)
    for where, version in versions.items():
        if version is not None:
            _check_version(version, where)


def _check_rule(rule: str, where: str, is_ignored: bool) -> None:
    from torchfix_codemods.rules import UnknownRuleError, ignorable, matching

    try:
        (ignorable if is_ignored else matching)(rule)
    except UnknownRuleError as error:
        raise ConfigError(f"{where}: {error}") from error


def _check_version(version: str, where: str) -> None:
    from torchfix_codemods.facts.age.era import dotted, parse_version
    from torchfix_codemods.facts.age.releases import RELEASES, may_be_released

    try:
        asked = parse_version(version)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from error
    if not may_be_released(asked):
        first, last = dotted(RELEASES[0][:2]), dotted(RELEASES[-1][:2])
        raise ConfigError(f"{where}: there is no torch {version} ({first} to {last} are known)")
