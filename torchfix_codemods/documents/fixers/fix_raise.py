"""``raise E, "text"`` is ``raise E("text")``; ``raise (E("text"))`` is as it should be."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_raise
from fissix.pygram import python_symbols
from fissix.pytree import Leaf

from torchfix_codemods.documents.fixers.places import is_one_in_parentheses, without_backslashes


class FixRaise(fix_raise.FixRaise):  # type: ignore[misc]
    """Leaves an exception in parentheses alone.

    fissix takes all parentheses for a tuple, of which Python 2 raised the first item: of
    ``raise (E("text"))`` it leaves ``raise E``.
    """

    def transform(self, node: Any, results: Any) -> Any:
        raised = results["exc"]
        if not is_one_in_parentheses(raised) or isinstance(raised.children[1], Leaf):
            raising = super().transform(node, results)
            raised = None if raising is None else raising.children[-1]
            if raised is not None and raised.type == python_symbols.power:
                without_backslashes(raised)
            return raising
        if "val" in results:
            self.cannot_convert(node, "write the exception without parentheses")
        return None
