"""``def next(self)`` is ``def __next__(self)``, where the class gives that no name itself."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_next

from torchfix_codemods.documents.fixers.classes import names_bound


class FixNext(fix_next.FixNext):  # type: ignore[misc]
    """Leaves a method that is called ``__next__`` as well: ``__next__ = next`` asks for it.

    And ``node.next``, which is a field of most that have it: the method of an iterator is taken
    without a call in ``iter(reader.next, "")`` alone.
    """

    def transform(self, node: Any, results: Any) -> None:
        if "head" in results and not _is_given_to_iter(node):
            return
        if "name" not in results or "__next__" not in names_bound(node):
            super().transform(node, results)


def _is_given_to_iter(node: Any) -> bool:
    """Whether a part of the tree is the first thing that ``iter(…)`` gets."""
    before, holder = node.prev_sibling, node.parent
    if before is None:
        # Of several arguments, these stand in a list of their own.
        before, holder = holder.prev_sibling, holder.parent
    called = holder.prev_sibling
    return str(before) == "(" and getattr(called, "value", "") == "iter"
