"""What loops take of an object of a class below ``DataLoader``: batches, which have no graph."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import class_named

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
