"""``a, b = filter(f, x)`` needs no list: it is taken apart at once."""

from __future__ import annotations

import re
from typing import Any

from fissix.fixes import fix_filter

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.places import LONGEST_LINE, break_again

_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*")


class FixFilter(fix_filter.FixFilter):  # type: ignore[misc]
    """Makes a list only where one is needed, and lays out anew what stood below a ``lambda``."""

    def transform(self, node: Any, result: Any) -> Any:
        if not result.get("extra_trailers") and is_taken_apart(node, is_lazy=True):
            return None
        now = super().transform(node, result)
        if now is not None and "filter_lambda" in result:
            _lay_out(now, next(node.leaves()).column)
            break_again(now, node)
        return now


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
