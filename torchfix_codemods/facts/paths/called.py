"""Which functions of the project a call may run, also where they go by another name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import function_named, function_run, method_run

Called = tuple[Facts, ast.FunctionDef]
"""A function, and the facts of its file."""


def functions_run(call: ast.Call, facts: Facts) -> list[Called]:
    """The functions of the project that a call may run, each with the facts of its file.

    Of a class that is its constructor, of a module its ``forward``; of a name that is handed in,
    ``step`` of ``def fit(step)``, what the project is seen to hand in there.

    Args:
        call: the call.
        facts: the facts of the module.
    """
    asked = functools.partial(_find, call, facts)
    return facts.remembered(("functions run", call), asked)


def _find(call: ast.Call, facts: Facts) -> list[Called]:
    found = named_run(call.func, facts)
    if found is None:
        return [*_handed(call, facts)]
    there, called = found
    owner = there.parent(called)
    overriding = (
        there.classes.overriding(owner, called.name) if isinstance(owner, ast.ClassDef) else ()
    )
    return [(there, body) for body in (called, *overriding)]


def named_run(node: ast.expr, facts: Facts) -> Called | None:
    """What an expression that is called runs; ``__call__`` of an object that has one."""
    return (
        function_named(node, facts)
        or method_run(node, "__call__", facts)
        or function_run(node, facts)
    )


def _handed(call: ast.Call, facts: Facts) -> Iterator[Called]:
    """What is not known by its name, but by what may stand behind it."""
    function = call.func
    if facts.names.builtin(function) is not None:
        # They may call what they are given: ``map(step, batches)``.
        named = (named_run(given, facts) for given in call.args if isinstance(given, ast.Name))
        yield from (each for each in named if each is not None)
        return
    if facts.name(function) is not None:
        return
    if isinstance(function, ast.Attribute) and torch_table.is_method(function.attr):
        return
    yield from _behind(function, None, facts)
    # Only what the project defines can be a method of one of its objects.
    if isinstance(function, ast.Attribute) and facts.is_mentioned(f"def {function.attr}"):
        yield from _behind(function.value, function.attr, facts)


def _behind(node: ast.expr, method: str | None, facts: Facts) -> list[Called]:
    """The functions that an expression may be; or the methods of that name of its objects."""
    found: list[Called] = []

    def ask(place: Place) -> Iterable[Place]:
        if method is None:
            run = named_run(place.node, place.facts)
        else:
            run = method_run(place.node, method, place.facts)
        if run is None or place.content:
            return behind(place)
        found.append(run)
        return ()

    found_behind([Place(facts, node)], ask)
    return found
