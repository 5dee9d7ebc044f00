"""Quotes of new strings: as the file writes them, and legal inside an f-string."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below, nodes_below
from torchfix_codemods.patterns import lazy_pattern

_STRING_OR_COMMENT = lazy_pattern(
    r"#[^\n]*|(?P<long>['\"])(?P=long){2}(?:\\.|[^\\])*?(?P=long){3}"
    r"|(?P<short>['\"])(?:\\.|(?!(?P=short))[^\\\n])*(?P=short)",
    re.DOTALL,
)


def preferred_quote(text: str) -> str:
    """The quote character that most of a file's strings are written with.

    Docstrings have their own, which tell where there are no others, and in comments it is an
    apostrophe.
    """
    found = [(part["short"], part["long"]) for part in _STRING_OR_COMMENT.finditer(text)]
    for quotes in zip(*found, strict=True):
        if (single := quotes.count("'")) != (double := quotes.count('"')):
            return "'" if single > double else '"'
    return '"'


def other_quote(quote: str) -> str:
    """The other of the two quote characters."""
    return '"' if quote == "'" else "'"


def free_quote(enclosing: Sequence[str]) -> str:
    """The quote character for a string inside of f-strings.

    Args:
        enclosing: their quotes, outermost first; at least one.

    Returns:
        one that ends none of them, if there is one; rather not the innermost's.
    """
    inner = enclosing[-1][0]
    other = other_quote(inner)
    return inner if other in enclosing and inner not in enclosing else other


def in_double_quotes(text: str) -> str:
    """An expression with the strings of ``ast.unparse`` as rules write new ones."""
    return text if '"' in text or "\\" in text else text.replace("'", '"')


def restyle(new: cst.CSTNode, old: cst.CSTNode, quote: str) -> cst.CSTNode:
    """Give the strings of ``new`` that are not in ``old`` the quote character ``quote``.

    Rules write new strings as ``"…"``, without escapes or quotes inside. A string that replaces
    one keeps the quotes its rule gave it, and so do those beside others that all have the same.
    """
    if quote == '"' or isinstance(old, cst.SimpleString):
        return new
    kept = {string.value for string in nodes_below(old, cst.SimpleString)}

    def restyled(original: cst.SimpleString, updated: cst.SimpleString) -> cst.SimpleString:
        if original.value in kept or not original.value.startswith('"'):
            return updated
        return updated.with_changes(value=updated.value.replace('"', quote))

    if kept and all(string.startswith('"') and string[:3] != '"""' for string in kept):
        return new
    return changed_below(new, cst.SimpleString, restyled)
