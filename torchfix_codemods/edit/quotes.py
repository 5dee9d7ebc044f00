"""Quotes of new strings: as the file writes them, and legal inside an f-string."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst


def preferred_quote(text: str) -> str:
    """The quote character that most of a file's strings are written with."""
    return "'" if text.count("'") > text.count('"') else '"'


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


class _Restyle(cst.CSTTransformer):
    def __init__(self, old_strings: set[str], quote: str) -> None:
        super().__init__()
        self._old_strings = old_strings
        self._quote = quote

    def leave_SimpleString(
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        if original.value in self._old_strings or not original.value.startswith('"'):
            return updated
        return updated.with_changes(value=updated.value.replace('"', self._quote))


class _Strings(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        self.found.add(node.value)


def restyle(new: cst.CSTNode, old: cst.CSTNode, quote: str) -> cst.CSTNode:
    """Give the strings of ``new`` that are not in ``old`` the quote character ``quote``.

    Rules write new strings as ``"…"``, without escapes or quotes inside. A string that replaces
    one keeps the quotes its rule gave it.
    """
    if quote == '"' or isinstance(old, cst.SimpleString):
        return new
    strings = _Strings()
    old.visit(strings)
    result = new.visit(_Restyle(strings.found, quote))
    assert isinstance(result, cst.CSTNode)
    return result
