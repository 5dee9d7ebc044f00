"""Which modules and methods a call can run, also those that only constructors and classes below
its own tell."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from torchfix_codemods.facts.evaluation.applications import applications_of_class
from torchfix_codemods.facts.evaluation.classes_elsewhere import attribute_owners, find_method
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.named import function_named, is_self
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Module

T = TypeVar("T")

_Modules = list[tuple[Facts, Module]]
_Function = tuple[Facts, ast.FunctionDef]


def modules_run(facts: Facts, function: ast.expr) -> _Modules:
    """All modules that a call may run, each as it is known in its own file; none if it is unknown.

    ``self.block`` that the constructor was given is what all constructions give it, and
    ``self.core`` that only the classes below set is what they set.

    Args:
        facts: the facts of the module.
        function: what is called.
    """
    value = facts.value(function)
    if not isinstance(value, Module):
        value = value_by_all_calls(function, facts)
    if isinstance(value, Module):
        return at_home(facts, value)
    return _by_classes_below(facts, function, _modules_set) or []


def at_home(facts: Facts, module: Module) -> _Modules:
    """The modules that a value can be, each as its own file knows it; none where that is unread."""
    origin = imported_as(module)
    home = facts if origin is None else facts_of(origin.owner)
    there = module if origin is None else origin.value
    if home is None or not isinstance(there, Module):
        return []
    if not there.either:
        return [(home, there)]
    each = [at_home(home, one) for one in there.either]
    return [found for one in each for found in one] if all(each) else []


def functions_run(facts: Facts, function: ast.expr) -> list[_Function]:
    """The function of the project that a call runs, or the methods that the classes below give."""
    found = function_named(function, facts)
    if found is None:
        return _by_classes_below(facts, function, _method_set) or []
    there, method = found
    owner = there.parent(method)
    is_own = isinstance(function, ast.Attribute) and is_self(facts, function.value)
    if not is_own or not isinstance(owner, ast.ClassDef):
        return [found]
    below = classes_below(there, owner) or ()
    others = (_method_set(*cls, method.name) for cls in below)
    return [found, *(other for one in others for other in one or ())]


def given_by_all_applications(
    facts: Facts, function: ast.FunctionDef, parameter: ast.arg
) -> list[tuple[Facts, ast.expr]] | None:
    """What all calls of the modules of a class give a parameter of its ``forward``.

    Args:
        facts: the facts of the module.
        function: a function of it.
        parameter: one of the function's.

    Returns:
        None where a call may be out of sight, or leaves the parameter out.
    """
    owner = facts.parent(function)
    if function.name != "forward" or not isinstance(owner, ast.ClassDef):
        return None
    if facts.classes.kind(owner) != "module" or facts.classes.is_wrapped(function):
        return None
    found: list[tuple[Facts, ast.expr]] = []
    for call in applications_of_class(facts.inference, owner) or ():
        given = None if is_opaque(call) else argument_for(function, parameter, call, bound=True)
        if given is None:
            return None
        found.append((facts, given))
    return found or None


def _by_classes_below(
    facts: Facts,
    node: ast.expr,
    asked: Callable[[Facts, ast.ClassDef, str], list[T] | None],
) -> list[T] | None:
    """What the classes below one set as ``self.name`` that it has not; None where one is unknown.

    Args:
        facts: the facts of the module.
        node: ``self.name``.
        asked: tells it of one class; None where that sets none itself.
    """
    owner = facts.names.enclosing_class(node)
    if owner is None or not isinstance(node, ast.Attribute) or not is_self(facts, node.value):
        return None
    inference = facts.inference
    if facts.classes.kind(owner) != "module" or is_set_by_others(inference, node.attr):
        return None
    if find_method(inference, owner, node.attr) is not None:
        return None
    if any(True for _ in attribute_owners(inference, owner, node.attr)):
        return None
    found: list[T] = []
    for there, cls in classes_below(facts, owner) or ():
        known = asked(there, cls, node.attr)
        if known == [] or len(cls.bases) > 1:
            # The other base may set it as well.
            return None
        found += known or []
    return found


def _modules_set(facts: Facts, cls: ast.ClassDef, name: str) -> _Modules | None:
    if not facts.classes.has_own(cls, name):
        return None
    value = facts.inference.attribute(cls, name)
    return at_home(facts, value) if isinstance(value, Module) else []


def _method_set(facts: Facts, cls: ast.ClassDef, name: str) -> list[_Function] | None:
    own = facts.classes.method(cls, name)
    return None if own is None or facts.parent(own) is not cls else [(facts, own)]
