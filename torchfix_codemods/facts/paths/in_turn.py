"""What an object of the project, or a generator, gives where it is gone through."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import own_nodes, values_returned
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Content, Place
from torchfix_codemods.facts.paths.named import is_self, method_run

#: Classes that have no ``__iter__``.
_WITHOUT_LOOPS = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")


def may_be_replaced(facts: Facts, method: ast.FunctionDef) -> bool:
    """Whether a class below, or an object, may have something else of a method's name."""
    owner = facts.parent(method)
    if not isinstance(owner, ast.ClassDef) or any(facts.classes.overriding(owner, method.name)):
        return True
    if _is_set_on_objects(owner, method.name, facts):
        return True
    return _is_set_below(owner, method.name, facts)


def may_be_stored_otherwise(kept: ast.Attribute, facts: Facts) -> bool:
    """Whether a class below, or code outside, may store something else as ``self.x``.

    Args:
        kept: the attribute, in a method of its class.
        facts: the facts of its file.
    """
    owner = facts.names.enclosing_class(kept)
    if owner is None or not is_self(facts, kept.value):
        return True
    stored = (use for use in facts.names.attributes(kept.attr) if not isinstance(use.ctx, ast.Load))
    if not all(is_self(facts, use.value) for use in stored):
        return True
    if facts.files is not None and facts.files.is_assigned_anywhere(kept.attr):
        return True
    return _is_set_below(owner, kept.attr, facts)


def _is_set_on_objects(owner: ast.ClassDef, name: str, facts: Facts) -> bool:
    """Whether anything is bound to a name of a class beside its method: ``net.loss = f``."""
    if len(facts.names.scopes[owner].bindings.get(name, ())) > 1:
        return True
    if any(not isinstance(use.ctx, ast.Load) for use in facts.names.attributes(name)):
        return True
    return facts.files is not None and facts.files.is_assigned_anywhere(name)


def _is_set_below(owner: ast.ClassDef, name: str, facts: Facts) -> bool:
    """Whether a class that may be below another sets a name, or may inherit it beside that."""
    above = [owner.name]
    for known in above:
        for there in (facts, *others_with(known, facts)):
            for cls in _with_base(known, there):
                if cls is owner:
                    continue
                own = {*there.names.scopes[cls].bindings, *there.classes.attribute_names(cls)}
                others = (base for base in cls.bases if not _is_named(base, known))
                if name in own or not all(is_of_others(base, there) for base in others):
                    return True
                if cls.name not in above:
                    above.append(cls.name)
    return False


def is_of_others(base: ast.expr, facts: Facts) -> bool:
    """Whether a class is torch's or Python's own, which has no method that the project names."""
    return (facts.name(base) or "").startswith("torch.") or facts.names.builtin(base) == "object"


def has_below(owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether a class of a file may be below another, by its name."""
    return next(_with_base(owner.name, facts), None) is not None


def _with_base(name: str, facts: Facts) -> Iterator[ast.ClassDef]:
    for cls in facts.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(cls, ast.ClassDef)
        if any(_is_named(base, name) for base in cls.bases):
            yield cls


def _is_named(base: ast.expr, name: str) -> bool:
    """Whether a base is written with a name, or a text: ``models.Net``, ``base_of("Net")``."""
    return any(
        name in (getattr(part, "id", ""), getattr(part, "attr", ""), getattr(part, "value", ""))
        for part in ast.walk(base)
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
