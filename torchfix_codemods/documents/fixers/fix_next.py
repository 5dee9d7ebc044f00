"""``def next(self)`` is ``def __next__(self)``, where the class gives that no name itself."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_next

from torchfix_codemods.documents.fixers.classes import names_bound


class FixNext(fix_next.FixNext):  # type: ignore[misc]
    """Leaves a method that is called ``__next__`` as well: ``__next__ = next`` asks for it."""

    def transform(self, node: Any, results: Any) -> None:
        if "name" not in results or "__next__" not in names_bound(node):
            super().transform(node, results)
