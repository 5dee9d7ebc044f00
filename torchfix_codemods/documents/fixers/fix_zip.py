"""``a, b = zip(*x)`` needs no list: it is taken apart at once, or in the next line."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_zip

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.names_gone_through import is_gone_through_next


class FixZip(fix_zip.FixZip):  # type: ignore[misc]
    """Makes a list only where one is needed."""

    def transform(self, node: Any, result: Any) -> Any:
        if not result.get("trailers"):
            if is_taken_apart(node, is_lazy=True) or is_gone_through_next(node):
                return None
        return super().transform(node, result)
