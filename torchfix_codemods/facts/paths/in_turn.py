"""What an object of the project, or a generator, gives where it is gone through."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import own_nodes, values_returned
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Content, Place
from torchfix_codemods.facts.paths.named import is_self, method_run

#: Classes that have no ``__iter__``.
_WITHOUT_LOOPS = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")


def may_be_replaced(facts: Facts, method: ast.FunctionDef) -> bool:
    """Whether a class below may have another method of the same name."""
    owner = facts.parent(method)
    if not isinstance(owner, ast.ClassDef) or any(facts.classes.overriding(owner, method.name)):
        return True
    return any(has_below(owner, there) for there in others_with(owner.name, facts))


def has_below(owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether a class of a file may be below another, by its name."""
    return any(
        owner.name in ast.unparse(base)
        for cls in facts.names.nodes.get(ast.ClassDef, ())
        for base in (cls.bases if isinstance(cls, ast.ClassDef) else ())
    )


def returned_by(facts: Facts, function: ast.FunctionDef, content: Content) -> list[Place] | None:
    """What a function returns, or parts of it; None where that is out of sight.

    Of a generator that is what it yields: nothing else lies in it.
    """
    if facts.classes.is_wrapped(function):
        return None
    values = values_returned(function)
    if values is None:
        return _yielded(facts, function, content[1:]) if content else None
    known = [value for value in values if value is not None]
    is_known = bool(known) and len(known) == len(values)
    return [Place(facts, value, content) for value in known] if is_known else None


def _yielded(facts: Facts, function: ast.FunctionDef, content: Content) -> list[Place] | None:
    """What a generator yields, or parts of it; what it is sent is of no matter."""
    found: list[Place] = []
    for node in own_nodes(function):
        if isinstance(node, ast.YieldFrom):
            found.append(Place(facts, node.value, ("*", *content)))
        elif isinstance(node, ast.Yield):
            if node.value is None:
                return None
            found.append(Place(facts, node.value, content))
    return found


def given_in_turn(place: Place) -> list[Place] | None:
    """What lies in an object whose class is in sight, as loops take it, and by its index.

    A loop asks ``__iter__``, an index ``__getitem__``, which a loop asks where there is no other.
    None for what is no such object.
    """
    facts, node, content = place.facts, place.node, place.content
    if not content:
        return None
    found: list[Place] = []
    for name in ("__iter__", "__getitem__"):
        method = method_run(node, name, facts)
        if method is None:
            continue
        inside = content if name == "__iter__" else content[1:]
        given = None if may_be_replaced(*method) else returned_by(*method, inside)
        if given is None or not (name == "__iter__" or found or _has_no_other(*method)):
            return None
        if any(is_self(each.facts, each.node) for each in given):
            following = method_run(node, "__next__", facts)
            given = None if following is None else returned_by(*following, content[1:])
            if given is None:
                return None
        found += given
    return found or None


def _has_no_other(facts: Facts, method: ast.FunctionDef) -> bool:
    """Whether a class certainly inherits no other way to go through it, as lists have one."""
    owner = facts.parent(method)
    return isinstance(owner, ast.ClassDef) and all(
        facts.names.builtin(base) == "object" or facts.name(base) in _WITHOUT_LOOPS
        for base in owner.bases
    )
