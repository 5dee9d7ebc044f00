"""Arrays that numpy reversed: views with a negative step, of which torch makes no tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import constant, whole_number
from torchfix_codemods.facts.libraries import numpy_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Array


def reversals(facts: Facts, node: ast.expr) -> list[Place]:
    """Where an array is reversed in numpy: ``np.sort(n)[::-1]``; none where it may not be.

    Args:
        facts: the facts of the module.
        node: what may be such an array.
    """
    return _reversals(Place(facts, node), frozenset())


def _reversals(start: Place, inside: frozenset[ast.expr]) -> list[Place]:
    """The same, without what is reversed ``inside`` of what: ``x = x[::-1]`` in a loop."""
    found: list[Place] = []

    def before_reversed(place: Place) -> Iterable[Place] | None:
        array = None if place.content else _reversed(place.facts, place.node)
        if array is None:
            cut = _cut(place)
            return sources(place) if cut is None else [Place(place.facts, cut)]
        again = place.node in inside
        if again or _reversals(Place(place.facts, array), inside | {place.node}):
            # From its end again: that is the way it was.
            return None
        found.append(place)
        return ()

    return found if come_from([start], before_reversed) else []


def _reversed(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x[::-1]``, ``x[:, ::-1]`` and ``np.flip(x, 0)``, arrays of numpy; else None."""
    if isinstance(node, ast.Call):
        is_view = bool(node.args) and numpy_functions.steps_back(facts.name(node.func) or "")
        return node.args[0] if is_view else None
    if not isinstance(node, ast.Subscript):
        return None
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    is_back = any(map(_steps_back, indices)) and all(map(_keeps_view, indices))
    return node.value if is_back and _is_array(facts, node.value) else None


def _cut(place: Place) -> ast.expr | None:
    """``x`` of ``x[:n]``, which steps through x as x does; else None."""
    node = place.node
    if place.content or not isinstance(node, ast.Subscript) or _steps_back(node.slice):
        return None
    return node.value if isinstance(node.slice, ast.Slice) else None


def _steps_back(index: ast.expr) -> bool:
    step = whole_number(index.step) if isinstance(index, ast.Slice) else None
    return step is not None and step < 0


def _keeps_view(index: ast.expr) -> bool:
    """Whether an index copies nothing, as a list or another array does."""
    is_plain = isinstance(index, ast.Constant) and constant(index) in (None, ...)
    return isinstance(index, ast.Slice) or is_plain or whole_number(index) is not None


def _is_array(facts: Facts, node: ast.expr) -> bool:
    """Whether a value is an array, or what numpy gives that can be sliced."""
    value = facts.value(node)
    if isinstance(value, Array) or not isinstance(node, ast.Call):
        return isinstance(value, Array)
    name = facts.name(node.func) or ""
    is_places = name == "numpy.where" and len(node.args) == 1
    return numpy_functions.gives(name) in ("array", "numbers") and not is_places
