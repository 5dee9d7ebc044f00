"""``print x`` is a call; ``print(x)`` has been one all along."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_print

from torchfix_codemods.documents.fixers.places import is_one_in_parentheses


class FixPrint(fix_print.FixPrint):  # type: ignore[misc]
    """Leaves a statement alone that prints one thing in parentheses."""

    def transform(self, node: Any, results: Any) -> Any:
        printed = node.children[1:]
        if len(printed) == 1 and is_one_in_parentheses(printed[0]):
            return None
        return super().transform(node, results)
