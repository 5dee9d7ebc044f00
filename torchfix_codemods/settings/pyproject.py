"""Settings from ``[tool.torchfix]`` in pyproject.toml."""

from __future__ import annotations

import keyword
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from torchfix_codemods.settings.config import ConfigError, Settings

_LISTS = {"select", "ignore", "exclude", "extend-select", "extend-ignore", "extend-exclude"}


_SWITCHES = {"safe", "needed", "docs", "py2"}


#: The keys of the table, and the fields of :class:`Settings` that they are.
KEYS = {
    "select": "select",
    "extend-select": "extend_select",
    "extend-ignore": "ignore",
    "extend-exclude": "exclude",
    "ignore": "ignore",
    "exclude": "exclude",
    "per-file-ignores": "per_file_ignores",
    "from": "from_version",
    "to": "to_version",
    "safe": "safe",
    "needed": "needed",
    "docs": "docs",
    "py2": "py2",
    "device-name": "device_name",
}


def find_pyproject(start: Path) -> Path | None:
    """The nearest pyproject.toml with a ``[tool.torchfix]`` table, in ``start`` or above."""
    for folder in [start, *start.parents]:
        # A folder that may not be entered is told where its files are read.
        if has_settings(str(folder)):
            return folder / "pyproject.toml"
    return None


def read_settings(start: Path) -> Settings:
    """Read the settings that hold for files below ``start``.

    Raises:
        ConfigError: the file is no TOML, ``[tool.torchfix]`` is no table, a key is unknown or has a
            value of another type, or names a rule or a version that there is none of.
    """
    path = find_pyproject(start.resolve())
    if path is None:
        return Settings(root=Path.cwd())
    table = _table(_tools(path)["torchfix"], "tool.torchfix", path)
    return _settled(settings_from(table, path), path)


def settings_in(path: Path) -> Settings:
    """Read the settings in a file that was named: in ``[tool.torchfix]``, or all of the file.

    Patterns are relative to the current folder, as whoever names a file elsewhere expects.

    Raises:
        ConfigError: as for :func:`read_settings`, or there are no settings in it.
    """
    table = _load(path)
    if "torchfix" in _table(table.get("tool", {}), "tool", path):
        table = _table(table["tool"]["torchfix"], "tool.torchfix", path)
    elif "tool" in table or path.name == "pyproject.toml":
        raise ConfigError(f"{path}: there is no table [tool.torchfix] in it")
    return replace(_settled(settings_from(table, path), path), root=Path.cwd())


def has_settings(folder: str) -> bool:
    """Whether the pyproject.toml in a folder has a table for this tool."""
    path = Path(folder, "pyproject.toml")
    return os.path.isfile(path) and "torchfix" in _tools(path)


def _settled(settings: Settings, path: Path) -> Settings:
    """Settings whose rules and versions there are."""
    if _means_something(settings):
        from torchfix_codemods.settings.selectors import check_settings

        check_settings(settings, str(path))
    return settings


def _means_something(settings: Settings) -> bool:
    """Whether settings name rules or versions of torch."""
    versions = settings.from_version, settings.to_version
    if any(version is not None for version in versions):
        return True
    named = settings.select, settings.extend_select, settings.ignore, settings.per_file_ignores
    return any(named)


def settings_from(table: Mapping[str, Any], path: Path) -> Settings:
    """Check a ``[tool.torchfix]`` table and return it as settings.

    Raises:
        ConfigError: a key is unknown or has a value of another type.
    """
    unknown = sorted(set(table) - set(KEYS))
    if unknown:
        raise ConfigError(
            f"{path}: unknown key{'s' if len(unknown) > 1 else ''} in [tool.torchfix]: "
            f"{', '.join(unknown)} ({_meant(unknown)})"
        )
    values: dict[str, Any] = {}
    for key, value in table.items():
        checked = _checked(key, value, path)
        # `ignore` and `extend-ignore` say the same: there is nothing else that one could replace.
        is_list = key in _LISTS
        values[KEYS[key]] = values.get(KEYS[key], ()) + checked if is_list else checked
    return Settings(root=path.parent, **values)


def _meant(unknown: list[str]) -> str:
    """Which keys were meant where that is clear, else which there are."""
    import difflib

    close = [difflib.get_close_matches(key.replace("_", "-"), KEYS, n=1) for key in unknown]
    if all(close):
        return f"did you mean {', '.join(each[0] for each in close)}?"
    return f"known: {', '.join(sorted(KEYS))}"


def _tools(path: Path) -> dict[str, Any]:
    """The ``[tool]`` table of a pyproject.toml."""
    return _table(_load(path).get("tool", {}), "tool", path)


def _table(value: Any, name: str, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: [{name}] must be a table, not {value!r}")
    return value


def _checked(key: str, value: Any, path: Path) -> Any:
    if key in _LISTS:
        return _strings(key, value, path)
    if key == "per-file-ignores":
        if not isinstance(value, dict):
            raise ConfigError(f"{path}: {key} must be a table of pattern = [rules]")
        return tuple((p, _strings(f"{key}.{p}", rules, path)) for p, rules in value.items())
    wanted = bool if key in _SWITCHES else str
    if not isinstance(value, wanted):
        said = "true or false" if wanted is bool else "a string"
        raise ConfigError(f"{path}: {key} must be {said}, not {value!r}{_quoted(key)}")
    if key == "device-name" and not _is_name(value):
        raise ConfigError(f"{path}: device-name must be a Python name, not {value!r}")
    return value


def _quoted(key: str) -> str:
    """How to write a version, which looks like a number: 1.10 would be 1.1."""
    return f', as in {key} = "1.13"' if key in ("from", "to") else ""


def _is_name(value: Any) -> bool:
    """Whether a value may be assigned to under this name."""
    return str(value).isidentifier() and not keyword.iskeyword(value)


def _strings(key: str, value: Any, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{path}: {key} must be a list of strings, not {value!r}")
    return tuple(value)


def _load(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
