"""Lines of nothing but spaces stay as they are, whatever is written around them."""

from __future__ import annotations

import difflib
import io
import tokenize

#: To match the lines of a longer region would take too long, as many of them are the same.
_MOST_LINES = 2000

_LONG_TEXTS = ('"""', "'''")


def with_blank_lines_of(before: str, after: str) -> str:
    """Give the blank lines of a rewritten region the spaces that they had.

    A block that moves would take them with it, and its diff would show lines where nothing is.

    Args:
        before: the region as it was, with whole lines.
        after: the region after rewriting, with whole lines.

    Returns:
        ``after``, with the spaces of ``before`` on all blank lines of code that both of them have;
        unchanged where texts of several lines cannot be told from code, and in very long regions.
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
            if not was[at + line] and there + line not in in_texts:
                new[there + line] = old[at + line]
    return "\n".join(new)


def _lines_in_texts(code: str) -> set[int]:
    """Which lines, counted from zero, begin within a text that begins on another."""
    if not any(mark in code for mark in _LONG_TEXTS):
        return set()
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {line for token in tokens for line in range(token.start[0], token.end[0])}
