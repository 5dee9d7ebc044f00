"""The comments of a text, told apart from strings that look like them."""

from __future__ import annotations

import functools
import io
import tokenize

from torchfix_codemods.text.source import with_line_ends


@functools.lru_cache(maxsize=4)
def comments(text: str) -> dict[int, str] | None:
    """The comment on each line (from 1) that has one; None where the text has no tokens."""
    lines = io.StringIO(with_line_ends(text, "\n"))
    try:
        return {
            token.start[0]: token.string
            for token in tokenize.generate_tokens(lines.readline)
            if token.type == tokenize.COMMENT
        }
    except (tokenize.TokenError, SyntaxError):
        return None
