"""How messages name several lines of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.fences import PREFIX

_MOST_LISTED = 3


def listed(parts: Iterable[object], word: str = "and") -> str:
    """``a, b and c``."""
    *first, last = map(str, parts)
    return f"{', '.join(first)} {word} {last}" if first else last


def numbered(lines: Sequence[int]) -> str:
    """``lines 3 and 5``."""
    return f"line{'s' if len(lines) > 1 else ''} {listed(lines)}"


def in_lines(lines: Sequence[int], facts: Facts) -> str:
    """Where something stands: `` (lines 3 and 5)``; in a notebook nobody sees such numbers."""
    if not lines or PREFIX in facts.text:
        return ""
    if len(lines) > _MOST_LISTED:
        return f" (lines {lines[0]} to {lines[-1]})"
    return f" ({numbered(lines)})"


def also_in(lines: Sequence[int], facts: Facts) -> str:
    """What is said of a place as well as of others: ``, here and in lines 3 and 5``.

    Args:
        lines: the numbers of the other lines, as the file has them, in their order.
        facts: the facts of the module.
    """
    if not lines:
        return ""
    if PREFIX not in facts.text and len(lines) <= _MOST_LISTED:
        return f", here and in {numbered(lines)}"
    count = f"{len(lines)} other line{'s' if len(lines) > 1 else ''}"
    is_shown = PREFIX not in facts.text
    return f", here and in {count}" + (f" ({lines[0]} to {lines[-1]})" if is_shown else "")
