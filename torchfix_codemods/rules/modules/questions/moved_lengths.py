"""Lengths of sequences that the project moves to a GPU."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evidence.kind_checks import is_kind_checked
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.programs.placement import before_gpu, is_on_cpu
from torchfix_codemods.facts.values.lattice import Device


def moved_to_gpu(facts: Facts, lengths: ast.expr) -> Place | None:
    """Where the project moves lengths to a GPU that come to a place, as far as that is in sight."""
    return found_behind([Place(facts, lengths)], _before_gpu)


def is_asked_for_kind(moved: Place) -> bool:
    """Whether the code asks what it moves for its kind: a list of lengths stays where it is."""
    call = moved.node
    function = call.func if isinstance(call, ast.Call) else None
    given = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(given, ast.Name) and is_kind_checked(moved.facts.names, given)


def _before_gpu(place: Place) -> Iterable[Place] | None:
    """None for what is moved to a GPU; else what lengths are in another place."""
    facts, node = place.facts, place.node
    if place.content and not _is_of_torch(facts, node):
        return _behind(place)
    if isinstance(node, ast.Subscript) and isinstance(constant(node.slice), str):
        # Of a batch only what is stored under that key: the name that it goes by is anybody's.
        return [before for before in _behind(place) if before.node is not node.value]
    if isinstance(node, ast.Call):
        if facts.names.builtin(node.func) not in (None, "next", "getattr"):
            # A list, or a number.
            return ()
        if isinstance(node.func, ast.Attribute) and facts.name(node.func) is None:
            method = node.func.attr
            if method == "cuda" or (method == "to" and _is_gpu(facts, node)):
                return None
            if torch_effects.leaves_torch(method) or is_on_cpu(node):
                return ()
            if torch_table.is_method(method):
                return [Place(facts, node.func.value), *_behind(Place(facts, node))]
    before = before_gpu(place)
    return None if before is None else [*before, *_behind(place)]


def _behind(place: Place) -> list[Place]:
    """What lengths are one step back; what only has their name may be of another kind."""
    return behind(place, by_name=False)


def _is_of_torch(facts: Facts, node: ast.expr) -> bool:
    """Whether a pair is what torch gives of one tensor: ``lengths.sort(0, True)``."""
    if not isinstance(node, ast.Call):
        return False
    name, method = facts.name(node.func), getattr(node.func, "attr", "")
    return torch_effects.gives_indices(method if name is None else name.rpartition(".")[2])


def _is_gpu(facts: Facts, move: ast.Call) -> bool:
    """Whether ``x.to(…)`` names a device that may be a GPU."""
    before = before_gpu(Place(facts, move))
    device = move.args[0] if move.args else None
    return before is None or (device is not None and isinstance(facts.value(device), Device))
