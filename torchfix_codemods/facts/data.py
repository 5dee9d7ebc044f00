"""The tables that lie beside these modules as JSON."""

from __future__ import annotations

from typing import Any


def table(name: str) -> dict[str, Any]:
    """A table, by the name of its file."""
    import json

    # Quicker than importlib.resources, which imports half the standard library first.
    from pkgutil import get_data

    data = get_data(__package__, name)
    assert data is not None
    found: dict[str, Any] = json.loads(data)
    return found
