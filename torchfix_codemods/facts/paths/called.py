"""Which functions of the project a call may run, also where they go by another name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.parameters import CALLED_BY_OTHER_NAMES
from torchfix_codemods.facts.evaluation.reached_returns import (
    Constants,
    constants_of,
    is_passed_by,
)
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, calls_in_sight, found_behind
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import (
    function_named,
    function_run,
    gets_object_before,
    method_run,
)

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


def calls_reached(called: Called, call: ast.Call, facts: Facts) -> tuple[ast.Call, ...]:
    """The calls in a function that a call of it may come to, by the constants that it is given.

    ``run(x, train=False)`` does not come to the ``loss.backward()`` below ``if train:`` in ``run``.

    Args:
        called: the function, and the facts of its file.
        call: the call of it.
        facts: the facts of the file of the call.
    """
    there, function = called
    constants: Constants = {}
    # What is handed on, as `partial(run, train=True)`, has got arguments that no call of it shows.
    is_named = named_run(call.func, facts) is not None
    if is_named and not (is_opaque(call) or there.classes.is_wrapped(function)):
        is_bound = gets_object_before(there, function, call, facts)
        constants = constants_of(there.inference, function, call, {}, is_bound)
    key = "calls reached", function, repr(sorted(constants.items()))
    return there.names.remembered(key, lambda: tuple(_reached(there, function, constants)))


def _reached(facts: Facts, function: ast.FunctionDef, constants: Constants) -> Iterator[ast.Call]:
    for node in (n for statement in function.body for n in walk(statement)):
        if isinstance(node, ast.Call):
            # A function inside has parameters of its own, and may run later.
            is_own = facts.names.enclosing_function(node) is function
            if not (is_own and constants and is_passed_by(facts.inference, node, constants)):
                yield node


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


def returned_anywhere(use: Use) -> list[Place]:
    """The calls in the project whose result a value is that a function returns.

    Args:
        use: what takes the value.
    """
    return [*use.returned(), *_returned_otherwise(use)]


def _returned_otherwise(use: Use) -> Iterator[Place]:
    """The same in other files, and of ``forward`` where a module is called: ``self(x)``."""
    function = use.facts.names.enclosing_function(use.by)
    if use.kind != "returned" or not isinstance(function, ast.FunctionDef):
        return
    for call, there in calls_in_sight(use.facts, function):
        is_named = isinstance(call.func, ast.Attribute) and call.func.attr == function.name
        is_here = there is use.facts and (is_named or function.name not in CALLED_BY_OTHER_NAMES)
        # A method of that name of an unknown object may be another one.
        if not is_here and function_run(call.func, there) is not None:
            yield Place(there, call, use.place.content)
