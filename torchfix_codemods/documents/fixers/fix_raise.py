"""``raise E, "text"`` is ``raise E("text")``; ``raise (E("text"))`` is as it should be."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_raise
from fissix.pytree import Leaf

from torchfix_codemods.documents.fixers.places import is_one_in_parentheses


class FixRaise(fix_raise.FixRaise):  # type: ignore[misc]
    """Leaves an exception in parentheses alone.

    fissix takes all parentheses for a tuple, of which Python 2 raised the first item: of
    ``raise (E("text"))`` it leaves ``raise E``.
    """

    def transform(self, node: Any, results: Any) -> Any:
        raised = results["exc"]
        if not is_one_in_parentheses(raised) or isinstance(raised.children[1], Leaf):
            return super().transform(node, results)
        if "val" in results:
            self.cannot_convert(node, "write the exception without parentheses")
        return None
