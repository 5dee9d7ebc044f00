"""``print x`` is a call; ``print(x)`` has been one all along."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_print
from fissix.pygram import python_symbols


class FixPrint(fix_print.FixPrint):  # type: ignore[misc]
    """Leaves a statement alone that prints one thing in parentheses."""

    def transform(self, node: Any, results: Any) -> Any:
        printed = node.children[1:]
        if len(printed) == 1 and _is_one_in_parentheses(printed[0]):
            return None
        return super().transform(node, results)


def _is_one_in_parentheses(node: Any) -> bool:
    """``(x.y)``, and not ``(x, y)``."""
    if node.type != python_symbols.atom or len(node.children) != 3:
        return False
    inner = node.children[1]
    several = (python_symbols.testlist_gexp, python_symbols.yield_expr)
    return node.children[0].value == "(" and inner.type not in several
