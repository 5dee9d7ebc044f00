"""The tables that lie beside these modules, as JSON or with a line for each row."""

from __future__ import annotations

from typing import Any


def table(name: str) -> dict[str, Any]:
    """A table, by the name of its file."""
    import json

    found: dict[str, Any] = json.loads(_bytes(name))
    return found


def rows(name: str) -> list[tuple[str, str]]:
    """The lines of a table below its head: the first column, and what is behind its comma."""
    lines = _bytes(name).decode().splitlines()[1:]
    parts = (line.partition(",") for line in lines if not line.startswith("#"))
    return [(first, rest) for first, _, rest in parts]


def cells(name: str) -> dict[str, list[str]]:
    """The lines of a table below its head: what stands in each by its first column."""
    return {first: rest.split(",") for first, rest in rows(name)}


def _bytes(name: str) -> bytes:
    # Quicker than importlib.resources, which imports half the standard library first.
    from pkgutil import get_data

    data = get_data(__package__, name)
    assert data is not None
    return data
