"""Settings from ``[tool.torchfix]`` in pyproject.toml."""

from __future__ import annotations

import keyword
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torchfix_codemods.settings.config import ConfigError, Settings

_LISTS = {"select", "ignore", "exclude"}


_SWITCHES = {"safe", "docs", "py2"}


_KEYS = {
    "select": "select",
    "ignore": "ignore",
    "exclude": "exclude",
    "per-file-ignores": "per_file_ignores",
    "from": "from_version",
    "to": "to_version",
    "safe": "safe",
    "docs": "docs",
    "py2": "py2",
    "device-name": "device_name",
}


def find_pyproject(start: Path) -> Path | None:
    """The nearest pyproject.toml with a ``[tool.torchfix]`` table, in ``start`` or above."""
    for folder in [start, *start.parents]:
        candidate = folder / "pyproject.toml"
        # A folder that may not be entered is told where its files are read.
        if os.path.isfile(candidate) and "torchfix" in _tools(candidate):
            return candidate
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
    settings = settings_from(_table(_tools(path)["torchfix"], "tool.torchfix", path), path)
    if _means_something(settings):
        from torchfix_codemods.settings.selectors import check_settings

        check_settings(settings, str(path))
    return settings


def _means_something(settings: Settings) -> bool:
    """Whether settings name rules or versions of torch."""
    versions = settings.from_version, settings.to_version
    if any(version is not None for version in versions):
        return True
    return bool(settings.select or settings.ignore or settings.per_file_ignores)


def settings_from(table: Mapping[str, Any], path: Path) -> Settings:
    """Check a ``[tool.torchfix]`` table and return it as settings.

    Raises:
        ConfigError: a key is unknown or has a value of another type.
    """
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise ConfigError(
            f"{path}: unknown key{'s' if len(unknown) > 1 else ''} in [tool.torchfix]: "
            f"{', '.join(unknown)} ({_meant(unknown)})"
        )
    values = {_KEYS[key]: _checked(key, value, path) for key, value in table.items()}
    return Settings(root=path.parent, **values)


def _meant(unknown: list[str]) -> str:
    """Which keys were meant where that is clear, else which there are."""
    import difflib

    close = [difflib.get_close_matches(key.replace("_", "-"), _KEYS, n=1) for key in unknown]
    if all(close):
        return f"did you mean {', '.join(each[0] for each in close)}?"
    return f"known: {', '.join(sorted(_KEYS))}"


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
