"""Described values in a few words."""

from __future__ import annotations

from typing import Any


def shown(value: Any) -> str:
    """A description, in a few words for people."""
    if not isinstance(value, dict) or "k" not in value:
        return "nothing" if value is None else str(value)[:200]
    kind = value["k"]
    if kind == "number":
        return _short(value["v"])
    if kind == "text":
        return repr(value["v"])
    if kind in ("tensor", "array"):
        shape = "x".join(map(str, value["s"])) or "0-dim"
        numbers = ", ".join(_short(number) for number in value.get("v", ())[:4])
        more = ", …" if len(value.get("v", ())) > 4 else ""
        norm = f", norm {_short(value['n'])}" if "n" in value else ""
        return f"{value['d']} {shape} [{numbers}{more}]{norm}"
    if kind in ("dict", "list"):
        return f"a {kind} of {value['n']}"
    return str(value.get("t", kind))


def _short(number: Any) -> str:
    return f"{number:.7g}" if isinstance(number, float) else str(number)
