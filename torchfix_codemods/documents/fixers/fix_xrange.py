"""``range(n)`` is ``list(range(n))`` where a list is needed; progress bars and draws need none."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_xrange

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.places import function_given

#: Functions that go through their first argument, or take its length, or elements of it.
_GO_THROUGH = frozenset(
    """enumerate len max min reversed sorted sum tqdm .tqdm tqdm_notebook .tqdm_notebook
    .array .asarray .choice .permutation .sample""".split()
)


class FixXrange(fix_xrange.FixXrange):  # type: ignore[misc]
    """Leaves ``tqdm(range(n), desc="epoch")`` alone as well."""

    def in_special_context(self, node: Any) -> Any:
        is_through = is_taken_apart(node) or function_given(node) in _GO_THROUGH
        return is_through or super().in_special_context(node)
