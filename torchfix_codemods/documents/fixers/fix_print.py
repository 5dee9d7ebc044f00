"""``print x`` is a call; ``print(x)`` has been one all along."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_print
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import is_one_in_parentheses, without_backslashes


class FixPrint(fix_print.FixPrint):  # type: ignore[misc]
    """Leaves a statement alone that prints one thing in parentheses, or a label and what it is of.

    Of ``print ("loss", x)`` Python 2 wrote ``('loss', 0.5)``, which nobody meant.
    """

    def transform(self, node: Any, results: Any) -> Any:
        printed = node.children[1:]
        is_one = len(printed) == 1
        if is_one and (is_one_in_parentheses(printed[0]) or _begins_with_label(printed[0])):
            return None
        if len(printed) > 1 and printed[0].type != token.RIGHTSHIFT:
            for each in printed:
                _take_out_of_parentheses(each)
        call = super().transform(node, results)
        return call if call is None else without_backslashes(call)


def _take_out_of_parentheses(node: Any) -> None:
    """``"a"`` of ``print ("a"), b``: the call has parentheses of its own."""
    if is_one_in_parentheses(node):
        inner = node.children[1]
        inner.remove()
        inner.prefix = node.prefix
        node.replace(inner)


def _begins_with_label(node: Any) -> bool:
    """``("loss", x)``, and not ``("loss",)`` or ``(loss, x)``."""
    several = node.children[1] if node.type == python_symbols.atom else None
    if several is None or several.type != python_symbols.testlist_gexp:
        return False
    first = several.children[0]
    is_text = first.type == token.STRING or _is_of_strings(first)
    return is_text and len(several.children) > 2


def _is_of_strings(node: Any) -> bool:
    """``"a" "b"``, which is one text."""
    return bool(node.type == python_symbols.atom and node.children[0].type == token.STRING)
