"""Which functions and objects of a project draw random numbers from numpy's own generator."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.classes_elsewhere import (
    class_of,
    find_method,
    function_of,
    is_bound,
    method_of,
)
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.evaluation.reached_returns import Constants, constants_of, outcome
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.branches import tests_around, tests_passed
from torchfix_codemods.facts.language.nodes import own_nodes, walk
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Method, Module
from torchfix_codemods.record import record

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference
    from torchfix_codemods.facts.values.lattice import Value

_RANDOM = "numpy.random."

#: What draws nothing, and what makes a generator of its own.
_DRAWS_NOTHING = frozenset(
    f"{_RANDOM}{name}"
    for name in "RandomState Generator default_rng get_state set_state SeedSequence seed".split()
)
_SEEDING = frozenset({f"{_RANDOM}seed", f"{_RANDOM}set_state"})
#: So many functions are looked at for one method.
_MOST_FOLLOWED = 12
_UNSURE = (ast.For, ast.While, ast.ExceptHandler, ast.Lambda, ast.FunctionDef)


@record
class Drawing:
    """How something draws from numpy's generator."""

    is_certain: bool
    """Whether it draws each time; else it may depend on what is not known."""
    functions: frozenset[ast.AST]
    """The functions of the project that draw for it, or call those that do."""


def touches_generator(name: str) -> bool:
    """Whether a function of that qualified name draws from numpy's own generator, or sets it."""
    return name.startswith(_RANDOM) and (name not in _DRAWS_NOTHING or name in _SEEDING)


def method_draws(
    inference: Inference, value: Value, name: str, made: ast.Call | None = None
) -> Drawing | None:
    """How a method of an object draws from numpy's generator; None where it does not, or seeds it.

    Args:
        inference: the values of the module that asks.
        value: the object.
        name: the method.
        made: the call that makes the object, which may decide what the method does.
    """
    found = method_of(inference, value, name)
    if found is None:
        return None
    owner, method = found
    own = owner.classes.self_name(method)
    known = {f"{own}.{key}": item for key, item in _constants(inference, value, made).items()}
    walk_ = _Walk()
    walk_.follow(owner, method, known, True)
    if walk_.seeds or not walk_.draws:
        return None
    return Drawing(walk_.is_certain, frozenset(walk_.seen))


class _Walk:
    """What was found in a method, and in the functions of the project that it calls."""

    def __init__(self) -> None:
        self.seen: set[ast.FunctionDef] = set()
        self.seeds = self.draws = self.is_certain = False

    def follow(
        self, inference: Inference, function: ast.FunctionDef, known: Constants, is_certain: bool
    ) -> None:
        """Look through a function that is called each time, if ``is_certain``."""
        self.seen.add(function)
        for node in walk(function):
            if not isinstance(node, ast.Call) or _is_passed_by(inference, node, known):
                continue
            always = is_certain and _always_runs(inference, node, function, known)
            name = inference.names.name(node.func) or ""
            if name.startswith(_RANDOM):
                self.seeds |= name in _SEEDING
                self.draws |= name not in _DRAWS_NOTHING
                self.is_certain |= always and name not in _DRAWS_NOTHING
            elif len(self.seen) < _MOST_FOLLOWED:
                callee = inference.value(node.func)
                below = function_of(inference, callee)
                if below is not None and below[1] not in self.seen:
                    given = _handed_on(inference, function, node, below, callee, known)
                    self.follow(*below, given, always)


def _handed_on(
    inference: Inference,
    function: ast.FunctionDef,
    call: ast.Call,
    below: tuple[Inference, ast.FunctionDef],
    callee: Value,
    known: Constants,
) -> Constants:
    """What is constant in a function that another one calls."""
    owner, definition = below
    is_method = is_bound(owner, callee, definition)
    given = {} if is_opaque(call) else constants_of(owner, definition, call, known, is_method)
    own = inference.classes.self_name(function)
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not (isinstance(callee, Method) and isinstance(receiver, ast.Name) and receiver.id == own):
        return given
    there = owner.classes.self_name(definition)
    of_self = (key.partition(".") for key in known)
    return given | {f"{there}.{k}": known[f"{o}.{k}"] for o, dot, k in of_self if dot and o == own}


def _is_passed_by(inference: Inference, node: ast.AST, known: Constants) -> bool:
    return any(
        outcome(test, known) is (not came_out)
        for test, came_out in tests_passed(inference.names, node)
    )


def _always_runs(
    inference: Inference, node: ast.AST, function: ast.FunctionDef, known: Constants
) -> bool:
    """Whether a function comes to a node whenever it is called."""
    names = inference.names
    for parent in names.ancestors(node):
        if parent is function:
            break
        if isinstance(parent, _UNSURE):
            return False
    is_decided = all(outcome(test, known) is not None for test, _ in tests_around(names, node))
    return is_decided and not any(
        isinstance(other, (ast.Return, ast.Raise))
        and other.lineno < getattr(node, "lineno", 0)
        and not _is_passed_by(inference, other, known)
        for other in own_nodes(function)
    )


def _constants(inference: Inference, value: Value, made: ast.Call | None) -> Constants:
    """The attributes of an object that its constructor sets to what is known for good."""
    origin = value.origin if isinstance(value, Module) else value
    if isinstance(origin, Imported):
        inference, value = origin.owner, origin.value
    definition = class_of(value)
    found = None if definition is None else find_method(inference, definition, "__init__")
    if definition is None or found is None:
        return {}
    owner, constructor = found
    is_known = made is not None and not is_opaque(made)
    given = constants_of(owner, constructor, made, {}, True) if made and is_known else {}
    return {
        name: item
        for name, item, statement in _set_at_first(owner, constructor, given)
        if not (owner.files is not None and is_set_by_others(owner, name))
        and _is_set_once(owner, owner.names.parents[constructor], name, statement)
        and (owner is inference or _is_set_once(inference, definition, name, statement))
    }


def _set_at_first(
    inference: Inference, constructor: ast.FunctionDef, given: Constants
) -> Iterator[tuple[str, object, ast.stmt]]:
    """``train``, its value and the statement, of each ``self.train = train`` of a constructor."""
    own = inference.classes.self_name(constructor)
    # What stands under a condition is all that the attribute is, where nothing else sets it.
    for statement in own_nodes(constructor):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Attribute):
            continue
        item = statement.value
        if isinstance(target.value, ast.Name) and target.value.id == own:
            if isinstance(item, ast.Constant):
                yield target.attr, item.value, statement
            elif isinstance(item, ast.Name) and item.id in given:
                yield target.attr, given[item.id], statement


def _is_set_once(inference: Inference, definition: ast.AST, name: str, statement: ast.stmt) -> bool:
    """Whether no other statement of a file sets an attribute of the objects of a class."""
    assert isinstance(definition, ast.ClassDef)
    sources = inference.classes.attribute_sources(definition, name)
    return all(source.node is statement for source in sources) and not any(
        node.attr == name and not _is_of_own_object(inference, node)
        for node in inference.names.changed_attributes
    )


def _is_of_own_object(inference: Inference, node: ast.Attribute) -> bool:
    """Whether an attribute is one of the object of a method: that of its class is asked for."""
    function = inference.names.enclosing_function(node)
    if not isinstance(function, ast.FunctionDef) or not isinstance(node.value, ast.Name):
        return False
    is_method = isinstance(inference.names.parents.get(function), ast.ClassDef)
    return is_method and inference.classes.self_name(function) == node.value.id
