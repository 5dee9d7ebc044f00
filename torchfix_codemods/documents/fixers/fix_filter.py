"""``a, b = filter(f, x)`` needs no list: it is taken apart at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fissix.fixes import fix_filter
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.places import LONGEST_LINE, break_again

#: What makes all its elements before anything else is done; an iterator may make them later.
_AT_ONCE = (python_symbols.dictsetmaker, python_symbols.listmaker)
#: What a condition on an element may hold beside the element and constants.
_CONDITION = frozenset("and or not in is None True False ( ) == != <> < > <= >=".split())

_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*")


class FixFilter(fix_filter.FixFilter):  # type: ignore[misc]
    """Makes a list only where one is needed, and lays out anew what stood below a ``lambda``."""

    def transform(self, node: Any, result: Any) -> Any:
        if not result.get("extra_trailers") and is_taken_apart(node, is_lazy=True):
            return None
        if not result.get("extra_trailers") and _is_asked_alike(node, result):
            return None
        now = super().transform(node, result)
        if now is not None and "filter_lambda" in result:
            _lay_out(now, next(node.leaves()).column)
            break_again(now, node)
        return now


def _is_asked_alike(node: Any, result: Any) -> bool:
    """Whether a comprehension of a list goes through it, and finds each element as it was.

    ``[f(w) for w in filter(lambda a: a != "", line.split())]``: the condition speaks of the element
    and constants, and nothing around speaks of what the elements are from.
    """
    loop = node.parent
    if loop.type != python_symbols.comp_for or loop.parent.type not in _AT_ONCE:
        return False
    if "filter_lambda" in result:
        element, source = result["fp"].value, result["it"]
        if any(not _is_plain(leaf, element) for leaf in result["xp"].leaves()):
            return False
    elif "none" in result:
        source = result["seq"]
    else:
        return False
    inside = {*map(id, node.leaves())}
    around = {name for name, leaf in _names(loop.parent) if id(leaf) not in inside}
    return around.isdisjoint(name for name, _ in _names(source))


def _is_plain(leaf: Any, element: str) -> bool:
    is_constant = leaf.type in (token.NUMBER, token.STRING)
    return is_constant or leaf.value == element or leaf.value in _CONDITION


def _names(node: Any) -> Iterator[tuple[str, Any]]:
    """The names that an expression reads, with their leaves; no attributes."""
    for leaf in node.leaves():
        before = leaf.prev_sibling
        if leaf.type == token.NAME and (before is None or before.type != token.DOT):
            yield leaf.value, leaf


def _lay_out(comprehension: Any, column: int) -> None:
    """Take the backslashes out of brackets, which need none.

    Args:
        comprehension: ``[k for k in x if k != a and …]``.
        column: where it begins.
    """
    _, *inside = comprehension.leaves()
    continued = [leaf for leaf in inside if "\\" in leaf.prefix]
    joined = _CONTINUED.sub(" ", str(comprehension).strip())
    fits = "\n" not in joined and column + len(joined) <= LONGEST_LINE
    for leaf in continued:
        leaf.prefix = _CONTINUED.sub(" " if fits else "\n" + " " * (column + 1), leaf.prefix)
