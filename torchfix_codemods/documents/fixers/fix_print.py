"""``print x`` is a call; ``print(x)`` has been one all along."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_print
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import is_one_in_parentheses, without_backslashes


class FixPrint(fix_print.FixPrint):  # type: ignore[misc]
    """Leaves a statement alone that is a call as it stands: ``print(x)``, ``print(x, y)``.

    Of ``print ("loss", x)`` Python 2 wrote ``('loss', 0.5)``, which nobody meant.
    """

    def transform(self, node: Any, results: Any) -> Any:
        printed = node.children[1:]
        is_one = len(printed) == 1
        if is_one and (is_one_in_parentheses(printed[0]) or _are_several(printed[0])):
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


def _are_several(node: Any) -> bool:
    """``("loss", x)``, and not ``("loss",)`` or ``(x for x in y)``."""
    several = node.children[1] if node.type == python_symbols.atom else None
    if several is None or several.type != python_symbols.testlist_gexp:
        return False
    return several.children[1].type == token.COMMA and len(several.children) > 2
