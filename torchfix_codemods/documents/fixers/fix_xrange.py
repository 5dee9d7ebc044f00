"""``range(n)`` is ``list(range(n))`` where a list is needed; progress bars and draws need none."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_xrange
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.names_gone_through import function_going_through
from torchfix_codemods.documents.fixers.places import (
    call_around,
    function_called,
    function_given,
)

#: Functions that go through their first argument, or take its length, or elements of it.
_GO_THROUGH = frozenset(
    """enumerate len max min reversed sorted sum tqdm .tqdm tqdm_notebook .tqdm_notebook
    .array .asarray .choice .permutation .sample""".split()
)
#: Functions of pyplot that make arrays of what they are given.
_DRAW = frozenset(
    f"plt.{name}"
    for name in """bar barh errorbar fill_between loglog plot scatter semilogx semilogy step xticks
    yticks""".split()
)


class FixXrange(fix_xrange.FixXrange):  # type: ignore[misc]
    """Leaves ``tqdm(range(n), desc="epoch")`` alone as well."""

    def in_special_context(self, node: Any) -> Any:
        is_through = is_taken_apart(node) or function_given(node) in _GO_THROUGH
        is_through = is_through or function_going_through(node) is not None
        return is_through or _is_made_array(node) or super().in_special_context(node)


def _is_made_array(node: Any) -> bool:
    """``plt.plot(range(n), y)``, and ``x[range(n), y]``, which only arrays and tensors take."""
    if node.parent.type == python_symbols.subscriptlist:
        return True
    trailer = call_around(node)
    return trailer is not None and function_called(trailer) in _DRAW
