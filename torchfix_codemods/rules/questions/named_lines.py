"""How messages name several lines of a file."""

from __future__ import annotations

from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.text.wording import listed

_MOST_LISTED = 3


def numbered(lines: Sequence[int]) -> str:
    """``lines 3 and 5``."""
    return f"line{'s' if len(lines) > 1 else ''} {listed(lines)}"


def also_in(lines: Sequence[int], facts: Facts) -> str:
    """What is said of a place as well as of others: ``, here and in lines 3 and 5``.

    Args:
        lines: the numbers of the other lines, as the file has them, in their order.
        facts: the facts of the module.
    """
    if not lines:
        return ""
    if not facts.speaks_of(PREFIX) and len(lines) <= _MOST_LISTED:
        return f", here and in {numbered(lines)}"
    count = f"{len(lines)} other line{'s' if len(lines) > 1 else ''}"
    is_shown = not facts.speaks_of(PREFIX)
    return f", here and in {count}" + (f" ({lines[0]} to {lines[-1]})" if is_shown else "")
