"""Lines of nothing but spaces keep them, and move with a block that moves further in."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections.abc import Sequence

from torchfix_codemods.edit.lines import indent_of

#: To match the lines of a longer region would take too long, as many of them are the same.
_MOST_LINES = 2000

_LONG_TEXTS = ('"""', "'''")


def with_blank_lines_of(before: str, after: str) -> str:
    """Give the blank lines of a rewritten region the spaces that they had.

    Their diff would show lines where nothing is. One above a line that moved further in moves as
    far: it would be the only line of the block that stays behind.

    Args:
        before: the region as it was, with whole lines.
        after: the region after rewriting, with whole lines.

    Returns:
        ``after``, with the spaces of ``before`` on all blank lines of code that both of them have,
        moved with the lines below; unchanged where texts of several lines cannot be told from
        code, and in very long regions.
    """
    old, new = before.split("\n"), after.split("\n")
    if not any(line[:1] in (" ", "\t") and not line.strip() for line in old):
        return after
    if len(old) > _MOST_LINES:
        return after
    try:
        in_texts = _lines_in_texts(after)
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return after
    was, now = ([line.strip() for line in lines] for lines in (old, new))
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    for at, there, size in matcher.get_matching_blocks():
        for line in range(size):
            # Behind the last line end, no line begins.
            is_line = there + line < len(new) - 1
            if is_line and not was[at + line] and there + line not in in_texts:
                own = old[at + line]
                moved = _moved_in(old[at + line :], new[there + line :]) if own.strip("\r") else ""
                new[there + line] = moved + own
    return "\n".join(new)


def _moved_in(old: Sequence[str], new: Sequence[str]) -> str:
    """The indentation that the next line of code has got, where it moved further in."""
    below = (next((line for line in lines if line.strip()), "") for lines in (old, new))
    was, now = map(indent_of, below)
    return now.removesuffix(was) if now.endswith(was) else ""


def _lines_in_texts(code: str) -> set[int]:
    """Which lines, counted from zero, begin within a text that begins on another."""
    if not any(mark in code for mark in _LONG_TEXTS):
        return set()
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {line for token in tokens for line in range(token.start[0], token.end[0])}
