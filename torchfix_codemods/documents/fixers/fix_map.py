"""``a, b = map(int, x)`` needs no list: it is taken apart at once."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_map
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.places import break_again


class FixMap(fix_map.FixMap):  # type: ignore[misc]
    """Makes a list only where one is needed."""

    def transform(self, node: Any, result: Any) -> Any:
        is_other = "map_none" in result or ("args" in result and _is_of_none(result))
        if not is_other and not result.get("extra_trailers") and is_taken_apart(node, is_lazy=True):
            return None
        now = super().transform(node, result)
        if now is not None and "map_lambda" in result:
            break_again(now, node)
        return now


def _is_of_none(result: Any) -> bool:
    """Whether it is ``map(None, x, y)``, which Python 3 refuses."""
    given = result["args"].children[1]
    first = given.children[0] if given.type == python_symbols.arglist else given
    return str(first).strip() == "None"
