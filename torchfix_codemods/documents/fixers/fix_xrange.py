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
    is_one_of_two,
    root_of,
)
from torchfix_codemods.documents.fixers.unchanged_dicts import given_to
from torchfix_codemods.facts.libraries import numpy_functions
from torchfix_codemods.patterns import lazy_pattern

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
#: Methods of its axes that do.
_TICKS = ("set_xticklabels", "set_xticks", "set_yticklabels", "set_yticks")
#: Functions that go through each of their arguments.
_EACH = frozenset(
    f"{module}{name}"
    for module in ("itertools.", "")
    for name in "combinations combinations_with_replacement izip permutations".split()
) | frozenset("itertools.chain itertools.product zip".split())

#: Methods of a pool of processes that go through their second argument, or make a list of it.
_SHARE_OUT = frozenset({"imap", "imap_unordered", "map", "map_async"})
_POOL = lazy_pattern(r"(?:\w+\.)*(?:Thread)?Pool\(")


class FixXrange(fix_xrange.FixXrange):  # type: ignore[misc]
    """Leaves ``tqdm(range(n), desc="epoch")`` alone as well."""

    def in_special_context(self, node: Any) -> Any:
        is_through = is_taken_apart(node) or function_given(node) in _GO_THROUGH
        is_through = is_through or function_going_through(node, _needs_no_list) is not None
        is_through = is_through or _is_shared_out(node)
        if is_through or _is_made_array(node) or super().in_special_context(node):
            return True
        return is_one_of_two(node) and self.in_special_context(node.parent)


def _needs_no_list(name: Any) -> bool:
    """Whether a range does for what is done with a name: ``np.setdiff1d(rows, seen)``."""
    return is_taken_apart(name) or function_given(name) in _GO_THROUGH or _is_made_array(name)


def _is_shared_out(node: Any) -> bool:
    """``pool.map(f, range(n))`` of what the file makes a pool of processes."""
    trailer = call_around(node)
    if trailer is None or node.parent.type != python_symbols.arglist:
        return False
    holder, _, method = function_called(trailer).rpartition(".")
    if method not in _SHARE_OUT or node.parent.children[2] is not node:
        return False
    made = [str(given).strip() for given in given_to(root_of(node), holder)]
    return bool(made) and all(_POOL.match(each) is not None for each in made)


def _is_made_array(node: Any) -> bool:
    """``plt.plot(range(n), y)``, and ``x[range(n), y]``, which only arrays and tensors take.

    So do ``zip(names, range(n))`` and ``add_argument("--mode", choices=range(3))`` without a list.
    """
    if node.parent.type == python_symbols.subscriptlist:
        return True
    trailer = call_around(node)
    if trailer is None:
        return False
    called, argument = function_called(trailer), node.parent
    if called in _DRAW or called.rpartition(".")[2] in _TICKS:
        return True
    if argument.type == python_symbols.argument:
        word = str(argument.children[0]).strip()
        return word == "choices" and called.endswith(".add_argument")
    library, _, function = called.partition(".")
    is_numpys = library in ("np", "numpy") and numpy_functions.gives(f"numpy.{function}") == "array"
    return called in _EACH or is_numpys
