"""``d.keys()`` is ``list(d.keys())`` where a list is needed; ``x in d.keys()`` needs none."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_dict
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import function_given


class FixDict(fix_dict.FixDict):  # type: ignore[misc]
    """Leaves ``x in d.keys()`` and ``len(d.keys())`` alone as well."""

    def in_special_context(self, node: Any, isiter: bool) -> Any:
        is_asked = function_given(node) == "len" or _is_looked_into(node)
        return is_asked or super().in_special_context(node, isiter)


def _is_looked_into(node: Any) -> bool:
    """Whether an expression is what ``in`` or ``not in`` looks into."""
    comparison = node.parent
    if comparison.type != python_symbols.comparison or comparison.children[-1] is not node:
        return False
    return str(comparison.children[-2]).split() in (["in"], ["not", "in"])
