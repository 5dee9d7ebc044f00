"""What an editor's own settings ask for, over those of the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.settings.config import ConfigError, Settings, with_options
from torchfix_codemods.settings.pyproject import KEYS, settings_from
from torchfix_codemods.settings.selectors import check_settings

#: Those of ``[tool.torchfix]`` that an editor can give: what a command line would.
ASKED = (
    "select",
    "extend-select",
    "ignore",
    "from",
    "to",
    "safe",
    "needed",
    "device-name",
)

_WHERE = "the editor's settings"


@record
class Given:
    """What an editor's settings say."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """By the names of the fields of :class:`Settings`."""
    trouble: str = ""
    """Why they do not count; empty where they do."""

    def over(self, settings: Settings) -> Settings:
        """The settings of a project with these over them, as those of a command line."""
        return with_options(settings, **self.options)


def given_at_start(sent: object) -> Given:
    """What the options say that an editor starts the server with.

    Args:
        sent: an object with the keys of ``[tool.torchfix]``, or one with that below ``torchfix``.
    """
    table = sent.get("torchfix", sent) if isinstance(sent, Mapping) else sent
    return _given({} if table is None else table)


def given_later(sent: object) -> Given | None:
    """What settings say that were changed; None where they say nothing of this tool.

    Args:
        sent: as for :func:`given_at_start`. Some editors send the settings of all servers.
    """
    if not isinstance(sent, Mapping):
        return None
    if "torchfix" in sent:
        return given_at_start(sent)
    return _given(sent) if any(key in ASKED for key in sent) else None


def _given(table: object) -> Given:
    try:
        return Given(_options(table))
    except ConfigError as error:
        return Given(trouble=str(error))


def _options(table: object) -> dict[str, Any]:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{_WHERE}: must be an object, not {table!r}")
    unknown = sorted(set(table) - set(ASKED))
    if unknown:
        known = ", ".join(sorted(ASKED))
        raise ConfigError(f"{_WHERE}: unknown: {', '.join(map(str, unknown))} (known: {known})")
    # An empty text, or list, stands for nothing in forms that have no other way to say so.
    said = {key: value for key, value in table.items() if value not in (None, "", [])}
    settings = settings_from(said, Path(_WHERE))
    check_settings(settings, _WHERE)
    return {KEYS[key]: getattr(settings, KEYS[key]) for key in said}
