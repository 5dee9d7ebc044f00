"""Whether a number in the place of a tensor is missed where it goes: ``backward()``, ``.data``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import way_to_backward
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.paths.walk import follow


def is_wanted_as_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether what ``node`` gives is back-propagated, or asked for what no number has."""
    if way_to_backward(facts, node) is not None:
        return True
    return follow([Place(facts, node)], _asks_for_part) is not None


def is_handed_on(facts: Facts, node: ast.expr) -> bool:
    """Whether what ``node`` gives is kept, shown, or given to what is not of torch, as it is."""
    use = use_of(Place(facts, node))
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        return not (facts.name(use.by.func) or "").startswith("torch.")
    targets = use.by.targets if isinstance(use.by, ast.Assign) else []
    is_kept = any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)
    return is_kept or use.kind in ("element", "formatted")


def is_read_in_parts(facts: Facts, node: ast.expr) -> bool:
    """Whether what ``node`` gives is asked for parts, also in the functions that are given it."""
    return follow([Place(facts, node)], _asks_for_parts) is not None


def _asks_for_parts(use: Use) -> Iterable[Place] | None:
    """The same as :func:`_asks_for_part`, and None for what is gone through or taken apart."""
    if use.kind in ("iterated", "unpacked", "put into") and not use.place.content:
        return None
    if use.kind == "index":
        return ()
    return use.taken() if use.kind == "argument" else _asks_for_part(use)


def _asks_for_part(use: Use) -> Iterable[Place] | None:
    """None for ``value.data`` and ``value.item()``, also of what is calculated from it."""
    if use.kind in ("attribute", "method", "item") and not use.place.content:
        return None
    return () if use.kind == "argument" else use.onward()
