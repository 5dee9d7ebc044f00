"""The lines of a text, and what became of them in a later one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence


def lines_of(text: str) -> list[str]:
    """The lines of a text as Python counts them, without their ends."""
    # Not splitlines(): a form feed or U+2028 ends no line of a program.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def ended(line: str) -> str:
    """A line, or several, with an end: the last one of a file or a cell may have none."""
    return line if line.endswith("\n") or not line else line + "\n"


def carried(
    old: Sequence[Hashable], new: Sequence[Hashable]
) -> Iterator[tuple[bool, range, range]]:
    """The pieces of a text, in order, with the lines of an older one that they come from.

    Args:
        old: the lines of the older text, or digests of them.
        new: those of the text.

    Yields:
        whether the lines are the same; those of the old text (from 0): of what is not the same
        those that it replaces, or else the one above it and the one below; those of the new one.
    """
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        is_same = kind == "equal"
        if old_from == old_to:
            old_from, old_to = max(0, old_from - 1), min(old_from + 1, len(old))
        yield is_same, range(old_from, old_to), range(new_from, new_to)
