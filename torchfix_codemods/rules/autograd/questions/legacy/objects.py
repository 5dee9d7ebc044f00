"""Functions without a gradient, whose objects may be those of any other class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.uses import is_called
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Instance, Module, Value
from torchfix_codemods.rules.autograd.questions.legacy.attributes import attributes_of
from torchfix_codemods.rules.autograd.questions.legacy.elsewhere import (
    as_begun,
    is_needed_elsewhere,
    uses_there,
)
from torchfix_codemods.rules.autograd.questions.legacy.functions import (
    is_super,
    is_super_call,
    methods_of,
)
from torchfix_codemods.rules.autograd.questions.legacy.uses import uses_in_file


def is_object(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a legacy function has no gradient, and nothing of a function but that it is called.

    Its objects give the same where the class has no base, and ``__call__`` for ``forward``.
    """
    methods = methods_of(node)
    if "backward" in methods or "__call__" in methods or node.decorator_list or node.keywords:
        return False
    if any(method.decorator_list or not method.args.args for method in methods.values()):
        return False
    selves = {name: method.args.args[0].arg for name, method in methods.items()}
    used = attributes_of(methods, selves)
    if used is None or not all(isinstance(s, _PARTS_OF_CLASS) for s in node.body):
        return False
    constructor = methods.get("__init__")
    if constructor is not None and any(
        is_super_call(s) and not _calls_base(s, facts) for s in constructor.body
    ):
        return False
    read, stored = used
    return read <= stored | set(facts.names.scopes[node].bindings)


_PARTS_OF_CLASS = (ast.FunctionDef, ast.Assign, ast.Expr, ast.Pass)


def _calls_base(statement: ast.stmt, facts: Facts) -> bool:
    """``super(F, self).__init__()`` and ``super().__init__()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return is_super(call.func.value, facts)


def runs_base_constructor(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether making an object may run the constructor of ``Function``, which warns of it."""
    constructor = methods_of(node).get("__init__")
    if constructor is None:
        return True
    return any(
        isinstance(call, ast.Call) and last_name(call.func) == "__init__"
        for call in ast.walk(constructor)
    )


def is_only_made(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a class is certainly only called, in all files, and none asks for its ``forward``."""
    uses = [use for use in uses_in_file(facts, node) if node not in facts.names.ancestors(use)]
    if len(facts.names.scope_of(node).bindings[node.name]) != 1:
        return False
    if not all(is_called(facts, use) for use in uses) or _asks_for_forward(facts, node):
        return False
    if not is_needed_elsewhere(node.name, facts):
        return True
    began = as_begun(facts, node)
    others = None if facts.files is None else facts.files.mentioning(node.name)
    return (
        began is not None
        and others is not None
        and all(_only_makes(facts_of(file), *began) for file in others)
    )


def _only_makes(there: Facts | None, home: Facts, node: ast.ClassDef) -> bool:
    """Whether all that another file does with a class is to make objects, and to call these."""
    uses = None if there is None else uses_there(there, home, node)
    if there is None or uses is None:
        return False
    if not all(is_called(there, use) for use in uses):
        return False
    return not uses or not _asks_for_forward(there, node)


def _asks_for_forward(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a file asks for ``forward`` of what may be an object of a class."""
    return any(
        _may_be_object(facts.value(attribute.value), node)
        for attribute in facts.names.attributes("forward")
        if not is_super(attribute.value, facts)
    )


def _may_be_object(value: Value, node: ast.ClassDef) -> bool:
    value = value.value if isinstance(value, Imported) else value
    if isinstance(value, Instance):
        return value.definition.name == node.name
    return not isinstance(value, Module)


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
