"""What loops take of loaders: batches, which have no graph.

That is an object of a class below ``DataLoader``, or one whose batches are read as arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import class_named
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Loader

_LOADER = "torch.utils.data.DataLoader"
#: Methods that would give something else in a loop.
_LOOPING = frozenset({"__iter__", "__next__", "__getattribute__", "_get_iterator"})
#: Through so many classes a base is followed.
_MOST_BASES = 4


def gives_batches(place: Place, call: ast.Call) -> bool:
    """Whether what a loop takes of the object that a call makes is a batch, or lies in one.

    Args:
        place: the call, and where in its result a value lies.
        call: the call.
    """
    if place.content[:1] != ("*",):
        return False
    made = class_named(call.func, place.facts)
    return made is not None and _is_loader(*made)


def _is_loader(facts: Facts, cls: ast.ClassDef, depth: int = 0) -> bool:
    """Whether a class is below ``DataLoader`` alone, and is gone through as that is."""
    own = {*facts.names.scopes[cls].bindings, *facts.classes.attribute_names(cls)}
    if len(cls.bases) != 1 or cls.keywords or cls.decorator_list or depth > _MOST_BASES:
        return False
    if not _LOOPING.isdisjoint(own):
        return False
    if facts.name(cls.bases[0]) == _LOADER:
        return True
    above = class_named(cls.bases[0], facts)
    return above is not None and _is_loader(*above, depth + 1)


def samples(node: ast.Attribute, facts: Facts) -> bool:
    """Whether an attribute is ``loader.dataset``, of whose samples the batches are made.

    Args:
        node: the attribute.
        facts: the facts of its file.
    """
    return node.attr == "dataset" and isinstance(facts.value(node.value), Loader)


def are_read_as_arrays(uses: Iterable[ast.expr], place: Place) -> bool:
    """Whether what a loop takes of an attribute has ``.numpy()``, which nothing with a graph has.

    Args:
        uses: all that reads the attribute.
        place: one of them, and where in it a value lies.
    """
    if place.content[:1] != ("*",) or not place.facts.speaks_of("numpy"):
        return False
    found = follow([Place(place.facts, use, place.content) for use in uses], _before_array)
    return found is not None and not found.is_cut


def _before_array(use: Use) -> Iterable[Place] | None:
    """None for ``images.numpy()``; else what a loop gives a name."""
    by, is_part = use.by, bool(use.place.content)
    if use.kind in ("bound", "iterated", "unpacked"):
        return use.named()
    if use.kind == "argument" and is_part and isinstance(by, ast.Call):
        builtin = use.facts.names.builtin(by.func)
        return use.result() if builtin in ("enumerate", "zip") else ()
    method = by.func if use.kind == "method" and isinstance(by, ast.Call) else None
    return None if not is_part and getattr(method, "attr", "") == "numpy" else ()
