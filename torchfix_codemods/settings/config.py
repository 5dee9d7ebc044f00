"""What a run depends on besides the files: the settings of a project and of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
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
    extend_select: tuple[str, ...] = ()
    """Rules besides those that ``select`` means, or besides all that are on by themselves."""
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    from_version: str | None = None
    to_version: str | None = None
    safe: bool = False
    needed: bool = False
    """Whether only that is rewritten which fails, differs or warns on the torch to run on."""
    docs: bool = False
    """Whether code blocks of Markdown and reStructuredText are migrated."""
    py2: bool | None = None
    """Whether files that only Python 2 can run are converted, and then migrated; None: those that
    Python 3 cannot even read, where the library for it is installed."""
    device_name: str = "device"
    timeout: float | None = None
    """How many seconds the work on one file may take; None: any number."""
    cache_dir: Path | None = None
    """Where results are kept for later runs; None: nowhere."""
    nearer: tuple[tuple[str, Settings], ...] = ()
    """The settings for what is below other folders, the longest path first; see ``settings_of``."""


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


def folder_of_settings(paths: Sequence[Path]) -> Path:
    """The folder whose settings hold for a run: that of the first path."""
    first = paths[0]
    return next((folder for folder in (first, *first.parents) if os.path.isdir(folder)), Path())


def with_options(settings: Settings, **options: Any) -> Settings:
    """Settings with what the command line gave; None and empty options change nothing.

    False does: ``--no-safe`` is said against ``safe = true`` of the file.
    ``exclude``, ``ignore`` and ``extend_select`` add to the file's; everything else replaces it.
    """
    names = {f.name for f in fields(Settings)}
    given = {n: value for n, value in options.items() if n in names and _is_said(value)}
    for name in ("exclude", "ignore", "extend_select"):
        if name in given:
            given[name] = (*getattr(settings, name), *given[name])
    return replace(settings, **given)


def _is_said(value: object) -> bool:
    return value is False or bool(value)
