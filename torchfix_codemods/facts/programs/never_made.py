"""Classes of which there is no object: to make one raises, as it asks for what there is not."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.language.nodes import is_docstring, last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.named import class_named
from torchfix_codemods.facts.programs.certain_calls import function_called, is_certainly_run
from torchfix_codemods.facts.programs.failing_imports import star_may_bind
from torchfix_codemods.facts.programs.unbound import comes_to, comes_to_unbound, evaluated
from torchfix_codemods.facts.programs.unset import asks_unset

_CONSTRUCTORS = ("__init__", "__new__")


def fails_to_be_made(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether a call of a class of the file raises: its own ``__init__`` asks for an unbound name,
    for an attribute that nothing sets, or for the parent of a class that is none of its bases, or
    runs that of a base that does so."""
    return facts.remembered(("fails to be made", cls), lambda: _fails(cls, facts))


def is_never_made(node: ast.AST, facts: Facts) -> bool:
    """Whether a node stands in a method that takes an object of such a class.

    A class below it with a constructor of its own may have objects, and a method that is taken
    from the class may be called with any.
    """
    child = node
    for method in facts.names.ancestors(node):
        cls = facts.parent(method)
        if isinstance(method, ast.FunctionDef) and isinstance(cls, ast.ClassDef):
            is_in_body = any(child is statement for statement in method.body)
            takes_object = facts.classes.self_name(method) and not method.decorator_list
            is_plain = method.name != "__new__" and bool(takes_object) and is_in_body
            return is_plain and fails_to_be_made(cls, facts) and not _is_had_otherwise(cls, facts)
        child = method
    return False


def _fails(cls: ast.ClassDef, facts: Facts) -> bool:
    if cls.decorator_list or cls.keywords or star_may_bind(cls.name, facts.inference):
        return False
    own = [s for s in cls.body if getattr(s, "name", None) in _CONSTRUCTORS]
    if not own:
        return _has_failing_base(cls, facts)
    if len(own) != 1 or not isinstance(own[0], ast.FunctionDef) or own[0].name != "__init__":
        return False
    constructor = own[0]
    if constructor.decorator_list:
        return False
    return (
        comes_to_unbound(constructor, facts)
        or comes_to(constructor, lambda s: asks_unset(s, constructor, cls, facts))
        or comes_to(constructor, lambda s: _runs_failing(s, facts))
        or _asks_unrelated(constructor, cls, facts)
    )


def _has_failing_base(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether a class takes its constructor from one base, of which there is no object."""
    base = class_named(cls.bases[0], facts) if len(cls.bases) == 1 else None
    return base is not None and fails_to_be_made(base[1], base[0])


def _runs_failing(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement runs the constructor of a base of which there is no object."""
    for node in evaluated(statement):
        if not isinstance(node, ast.Call) or last_name(node.func) != "__init__":
            continue
        found = function_called(node, facts)
        owner = None if found is None else found[0].parent(found[1])
        if (
            found is not None
            and isinstance(owner, ast.ClassDef)
            and fails_to_be_made(owner, found[0])
            and is_certainly_run(node, *found, facts)
        ):
            return True
    return False


def _asks_unrelated(constructor: ast.FunctionDef, cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether ``super(Other, self)`` of a class that is no base of this one comes first."""
    first = next((s for s in constructor.body if not is_docstring(s)), None)
    for node in evaluated(first) if first is not None else ():
        if not isinstance(node, ast.Call) or facts.names.builtin(node.func) != "super":
            continue
        named = node.args[0] if len(node.args) == 2 else None
        other = class_named(named, facts) if isinstance(named, ast.Name) else None
        bases = facts.classes.bases(cls)
        ends = [base for one in (cls, *bases) for base in one.bases]
        is_seen = all(
            (facts.name(base) or "").startswith("torch.") or _is_among(base, bases, facts)
            for base in ends
        )
        return other is not None and other[0] is facts and is_seen and other[1] not in (cls, *bases)
    return False


def _is_among(base: ast.expr, bases: Collection[ast.ClassDef], facts: Facts) -> bool:
    found = class_named(base, facts)
    return found is not None and found[1] in bases


def _is_had_otherwise(cls: ast.ClassDef, facts: Facts) -> bool:
    def look() -> bool:
        below = classes_below(facts, cls, in_project=True)
        if below is None or any(
            there.classes.has_own(c, "__init__") and not fails_to_be_made(c, there)
            for there, c in below
        ):
            return True
        return any(_takes_method(cls, there) for there in (facts, *others_with(cls.name, facts)))

    return facts.remembered(("is had otherwise", cls), look)


def _takes_method(cls: ast.ClassDef, there: Facts) -> bool:
    """Whether a file takes anything from what has the name of a class: ``Net.forward``."""
    return any(
        isinstance(there.parent(use), ast.Attribute)
        for scope in there.names.scopes_using(cls.name)
        for use in scope.uses[cls.name]
    )
