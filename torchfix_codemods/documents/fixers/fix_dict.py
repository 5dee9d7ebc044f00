"""``d.keys()`` is ``list(d.keys())`` where a list is needed; ``x in d.keys()`` needs none."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_dict
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import function_given


class FixDict(fix_dict.FixDict):  # type: ignore[misc]
    """Leaves ``x in d.keys()``, ``len(d.keys())`` and ``[k for k in d.keys()]`` alone as well."""

    def in_special_context(self, node: Any, isiter: bool) -> Any:
        is_asked = function_given(node) == "len" or _is_looked_into(node)
        return is_asked or _is_read_through(node) or super().in_special_context(node, isiter)


def _is_looked_into(node: Any) -> bool:
    """Whether an expression is what ``in`` or ``not in`` looks into."""
    comparison = node.parent
    if comparison.type != python_symbols.comparison or comparison.children[-1] is not node:
        return False
    return str(comparison.children[-2]).split() in (["in"], ["not", "in"])


def _is_read_through(node: Any) -> bool:
    """Whether a comprehension goes through it that calls nothing, and so leaves the dict alone."""
    loop = node.parent
    if loop.type != python_symbols.comp_for or node not in loop.children[3:]:
        return False
    whole = loop.parent
    if whole.type in (python_symbols.comp_for, python_symbols.comp_if):
        return False
    return _calls(whole) == _calls(node)


def _calls(node: Any) -> int:
    """How many calls stand in a part of the tree."""
    return sum(
        each.type == python_symbols.trailer and each.children[0].value == "("
        for each in node.pre_order()
    )
