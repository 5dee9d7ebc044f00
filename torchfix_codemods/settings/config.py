"""Settings from ``[tool.torchfix]`` in pyproject.toml and from the command line."""

from __future__ import annotations

import keyword
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any

from torchfix_codemods.record import record


class ConfigError(Exception):
    """A configuration that cannot be used; the message names the key and what is wrong."""


@record
class Settings:
    """Everything that a run depends on besides the files themselves."""

    root: Path = field(default_factory=Path.cwd)
    """Patterns are relative to this folder: that of pyproject.toml, else the current one."""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    from_version: str | None = None
    to_version: str | None = None
    safe: bool = False
    docs: bool = False
    """Whether code blocks of Markdown and reStructuredText are migrated."""
    py2: bool = False
    """Whether files of Python 2 are converted, and then migrated."""
    device_name: str = "device"
    timeout: float | None = None
    """How many seconds the work on one file may take; None: any number."""
    cache_dir: Path | None = None
    """Where results are kept for later runs; None: nowhere."""


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


def cache_folder() -> Path:
    """Where results are kept: ``$TORCHFIX_CACHE_DIR``, or a folder in the user's cache."""
    given = os.environ.get("TORCHFIX_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "linux":
        # What platformdirs says, which imports for longer than a run from the cache works.
        given = os.environ.get("XDG_CACHE_HOME", "")
        return Path(given if os.path.isabs(given) else os.path.expanduser("~/.cache"), "torchfix")
    from platformdirs import user_cache_path

    return user_cache_path("torchfix", appauthor=False)


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


def folder_of_settings(paths: Sequence[Path]) -> Path:
    """The folder whose settings hold for a run: that of the first path."""
    first = paths[0]
    return next((folder for folder in (first, *first.parents) if os.path.isdir(folder)), Path())


def settings_from(table: Mapping[str, Any], path: Path) -> Settings:
    """Check a ``[tool.torchfix]`` table and return it as settings.

    Raises:
        ConfigError: a key is unknown or has a value of another type.
    """
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise ConfigError(
            f"{path}: unknown key{'s' if len(unknown) > 1 else ''} in [tool.torchfix]: "
            f"{', '.join(unknown)} (known: {', '.join(sorted(_KEYS))})"
        )
    values = {_KEYS[key]: _checked(key, value, path) for key, value in table.items()}
    return Settings(root=path.parent, **values)


def with_options(settings: Settings, **options: Any) -> Settings:
    """Settings with what the command line gave; None and empty options change nothing.

    False does: ``--no-safe`` is said against ``safe = true`` of the file.
    ``exclude`` and ``ignore`` add to the file's; everything else replaces it.
    """
    names = {f.name for f in fields(Settings)}
    given = {n: value for n, value in options.items() if n in names and _is_said(value)}
    for name in ("exclude", "ignore"):
        if name in given:
            given[name] = (*getattr(settings, name), *given[name])
    return replace(settings, **given)


def _is_said(value: object) -> bool:
    return value is False or bool(value)


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
