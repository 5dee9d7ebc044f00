"""``a, b = filter(f, x)`` needs no list: it is taken apart at once."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_filter

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart


class FixFilter(fix_filter.FixFilter):  # type: ignore[misc]
    """Makes a list only where one is needed."""

    def transform(self, node: Any, result: Any) -> Any:
        if not result.get("extra_trailers") and is_taken_apart(node, is_lazy=True):
            return None
        return super().transform(node, result)
