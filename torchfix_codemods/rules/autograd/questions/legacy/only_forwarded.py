"""Legacy functions of whose objects nothing but ``forward`` is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow


def are_only_forwarded(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether all that the project does with objects of a legacy function is to ask for their
    ``forward``: in the very place, by a name, or by an attribute, or in a function that is given
    one. Of a class that the project does not use that is not known."""
    uses = [
        (use, there)
        for there in (facts, *others_with(node.name, facts))
        for use in _uses_of_name(node.name, there)
        if not (there is facts and node in there.names.ancestors(use))
    ]
    return bool(uses) and all(_is_only_forwarded(use, there) for use, there in uses)


def _uses_of_name(name: str, there: Facts) -> Iterator[ast.expr]:
    """``Name`` and ``module.Name``, whatever they stand for."""
    for scope in there.names.scopes_using(name):
        yield from scope.uses[name]
    yield from there.names.attributes(name)


def _is_only_forwarded(use: ast.expr, there: Facts) -> bool:
    made = there.parent(use)
    if not isinstance(made, ast.Call) or made.func is not use:
        return False
    holder = there.parent(made)
    if not isinstance(holder, ast.Assign):
        return _has_forward_asked(made, there)
    (target, *others) = holder.targets
    if others or not isinstance(target, (ast.Name, ast.Attribute)):
        return False
    if isinstance(target, ast.Attribute):
        places: list[ast.expr] = [a for a in there.names.attributes(target.attr) if a is not target]
    else:
        places = list(there.names.uses_of(there.names.scope_of(target), target.id))
    return all(_has_forward_asked(place, there) for place in places)


def _has_forward_asked(node: ast.expr, there: Facts) -> bool:
    return follow([Place(there, node)], _asks_for_more) is None


def _asks_for_more(use: Use) -> Iterable[Place] | None:
    """None for what is no question for ``forward``; else where the function that is given the
    object reads it."""
    parent = use.facts.parent(use.node)
    if isinstance(parent, ast.Attribute):
        return () if parent.attr == "forward" else None
    return [*use.taken()] if use.kind == "argument" and use.parameters() else None
