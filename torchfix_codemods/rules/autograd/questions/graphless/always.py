"""What something is whichever way it comes to its name, as far as all of them are in sight."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.evaluation.classes_elsewhere import attribute_owners
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import class_named, is_self, method_run
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.autograd.questions.graphless.given import given_by

Run = tuple[Facts, ast.FunctionDef]
"""A function that is run, and its file."""


def is_always(called: Place, is_it: Callable[[ast.expr, Facts], bool]) -> bool:
    """Whether what is called answers a question, whichever way it comes to its name."""
    return come_from([called], functools.partial(_before_called, is_it))


def _before_called(
    is_it: Callable[[ast.expr, Facts], bool], place: Place
) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    if not place.content and is_it(node, facts):
        return ()
    if isinstance(node, ast.Attribute):
        return _before_kept(place, node)
    if not isinstance(node, ast.Name):
        moved = None if place.content else _module_moved(node, facts)
        return sources(place) if moved is None else [Place(facts, moved)]
    found = [given_by(place, binding) for binding in facts.flow.reaching(node)]
    given = [each for places in found for each in places or ()]
    return None if None in found or not found else given


def _module_moved(node: ast.expr, facts: Facts) -> ast.expr | None:
    """``net`` of ``net.cuda()``, which gives the module itself, if no class has its own way."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    held, method = node.func.value, node.func.attr
    if not torch_effects.moves_or_casts(method) or not isinstance(facts.value(held), Module):
        return None
    return None if method_run(held, method, facts) else held


def _before_kept(place: Place, node: ast.Attribute) -> Iterable[Place] | None:
    """What a class, or one above it, keeps under ``self.make``, where nothing else does."""
    facts, found = place.facts, list[Place]()
    owner = facts.parent(facts.names.enclosing_function(node) or node)
    if not is_self(facts, node.value) or not isinstance(owner, ast.ClassDef):
        return None
    for inference, cls in attribute_owners(facts.inference, owner, node.attr):
        there = facts_of(inference)
        if there is None or is_set_by_others(inference, node.attr):
            return None
        for stored in there.classes.attribute_sources(cls, node.attr):
            given = given_by(Place(there, node, place.content), stored)
            if given is None:
                return None
            found += given
    return found or None


def methods_of_made(call: ast.Call, facts: Facts) -> list[Run] | None:
    """What ``agent.act(x)`` and ``move(x)`` run, where all that these names hold is made in sight.

    Args:
        call: the call of a method, or of an object.
        facts: the facts of its file.

    Returns:
        the methods of the classes of the objects; None where another one may be run.
    """
    method, found = call.func, list[Run]()
    is_called = not isinstance(method, ast.Attribute)
    for held, name in [(method, "__call__")] if is_called else _both(method):
        asked = functools.partial(_makes_object, name, found)
        if is_always(Place(facts, held), asked):
            return found
        found.clear()
    return None


def _both(method: ast.expr) -> list[tuple[ast.expr, str]]:
    """``self.move(x)`` may run a method of self, or the object that it keeps."""
    assert isinstance(method, ast.Attribute)
    return [(method.value, method.attr), (method, "__call__")]


def _makes_object(name: str, found: list[Run], node: ast.expr, facts: Facts) -> bool:
    """Whether a class of the project is called that has a method: the object is of no other."""
    if not isinstance(node, ast.Call) or class_named(node.func, facts) is None:
        return False
    method = method_run(node, name, facts)
    if method is not None:
        found.append(method)
    return method is not None
