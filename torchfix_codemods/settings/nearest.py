"""The settings that hold for each file: those of the pyproject.toml nearest to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from torchfix_codemods.settings.config import Settings, with_options
from torchfix_codemods.settings.pyproject import has_settings, read_settings


class Nearest:
    """The settings of the folders of one run, each file of settings read once.

    Args:
        settings: those of the run, from the first path.
        given: what goes over the settings of each file; None: ``settings`` hold for all files.
    """

    def __init__(self, settings: Settings, given: Mapping[str, Any] | None) -> None:
        self._settings = settings
        self._given = given
        self._by_folder: dict[str, Settings] = {}
        self._by_root: dict[str, Settings] = {}

    def of(self, folder: str | os.PathLike[str]) -> Settings:
        """The settings for the files in a folder.

        Raises:
            ConfigError: they cannot be read.
        """
        if self._given is None:
            return self._settings
        return self._of(os.path.realpath(folder))

    def all(self) -> Settings:
        """The settings of the run, which know those of every folder that was asked for."""
        if set(self._by_root.values()) <= {self._settings}:
            return self._settings
        nearer = sorted(self._by_root.items(), key=lambda item: -len(item[0]))
        return replace(self._settings, nearer=tuple(nearer))

    def _of(self, folder: str) -> Settings:
        known = self._by_folder.get(folder)
        if known is None:
            parent = os.path.dirname(folder)
            if parent == folder or has_settings(folder):
                root = folder if has_settings(folder) else ""
                known = self._by_root[root] = self._read(folder)
            else:
                known = self._of(parent)
            self._by_folder[folder] = known
        return known

    def _read(self, folder: str) -> Settings:
        settings = with_options(read_settings(Path(folder)), **(self._given or {}))
        own = self._settings
        return replace(settings, timeout=own.timeout, cache_dir=own.cache_dir)


def settings_of(path: str | os.PathLike[str], settings: Settings) -> Settings:
    """The settings that hold for a file of a run."""
    if not settings.nearer:
        return settings
    folder = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(path))), "")
    # The last one holds for what is below no file of settings.
    return next(
        (each for root, each in settings.nearer if folder.startswith(os.path.join(root, ""))),
        settings,
    )
