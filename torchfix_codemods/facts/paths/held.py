"""Which parameter a name holds, or an attribute that the constructor keeps."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import (
    attribute_owners,
    find_method,
    super_object,
)
from torchfix_codemods.facts.evaluation.handed import may_have_classes_below
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.named import class_of_object, is_same_function, is_self


def parameter_held(
    name: ast.Name, facts: Facts
) -> tuple[ast.FunctionDef, ast.arg] | tuple[None, None]:
    """The parameter that a name holds, and no other value, with its function."""
    bindings = facts.flow.reaching(name)
    parameter = bindings[0].node if len(bindings) == 1 else None
    arguments = None if parameter is None else facts.parent(parameter)
    function = None if arguments is None else facts.parent(arguments)
    if not isinstance(function, ast.FunctionDef) or not isinstance(parameter, ast.arg):
        return None, None
    return function, parameter


def parameter_kept(
    node: ast.Attribute, facts: Facts
) -> tuple[ast.FunctionDef, ast.arg] | tuple[None, None]:
    """The parameter of a constructor that ``self.criterion`` is in all of a class, with it."""
    owner = facts.names.enclosing_class(node)
    if owner is None or not is_self(facts, node.value):
        return None, None
    return _kept_by(owner, node.attr, facts)


def _kept_by(
    owner: ast.ClassDef, name: str, facts: Facts
) -> tuple[ast.FunctionDef, ast.arg] | tuple[None, None]:
    stored = _stored_once(owner, name, facts)
    return _parameter_of_own(stored, facts) if isinstance(stored, ast.Name) else (None, None)


def option_kept(node: ast.Attribute, facts: Facts) -> ast.Attribute | None:
    """``options.weight`` that a constructor is given for ``self.weight``, in all of a class."""
    owner = facts.names.enclosing_class(node)
    stored = None if owner is None else _stored_once(owner, node.attr, facts)
    if not isinstance(stored, ast.Attribute) or not isinstance(stored.value, ast.Name):
        return None
    return stored if _parameter_of_own(stored.value, facts)[0] is not None else None


def _parameter_of_own(
    name: ast.Name, facts: Facts
) -> tuple[ast.FunctionDef, ast.arg] | tuple[None, None]:
    """The parameter that a name holds, of the very function that it stands in."""
    function, parameter = parameter_held(name, facts)
    if function is None or parameter is None:
        return None, None
    is_own = facts.names.enclosing_function(name) is function
    return (function, parameter) if is_own else (None, None)


def _stored_once(owner: ast.ClassDef, name: str, facts: Facts) -> ast.expr | None:
    """What the constructor of a class keeps as an attribute, and nothing else does."""
    sources = facts.classes.attribute_sources(owner, name)
    stored = sources[0].written() if len(sources) == 1 else None
    constructor = None if stored is None else facts.names.enclosing_function(stored)
    if not isinstance(constructor, ast.FunctionDef) or constructor.name != "__init__":
        return None
    if facts.parent(constructor) is not owner or is_set_by_others(facts.inference, name):
        return None
    return stored


def set_in_class(attribute: ast.Attribute, facts: Facts) -> list[ast.expr]:
    """What the class around ``self.scheduler`` sets it to; nothing where that may be anything.

    Args:
        attribute: where it is read.
        facts: the facts of the module.
    """
    owner = facts.names.enclosing_class(attribute)
    stores = [
        facts.parent(node)
        for node in facts.names.attributes(attribute.attr)
        if not isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == ast.unparse(attribute)
        and facts.names.enclosing_class(node) is owner
    ]
    made = [node.value for node in stores if isinstance(node, ast.Assign)]
    return made if owner is not None and len(made) == len(stores) else []


def handed_above(node: ast.Attribute, facts: Facts) -> ast.expr | None:
    """What a class hands to the constructor of its base in another file, which keeps it.

    That is ``net`` of ``super().__init__(net)`` for ``self.net``, where nothing else sets it, and
    no class derives from this one.
    """
    owner = facts.names.enclosing_class(node)
    if owner is None or not is_self(facts, node.value):
        return None
    owners = [*attribute_owners(facts.inference, owner, node.attr)]
    home = facts_of(owners[0][0]) if len(owners) == 1 else None
    if home is None or home is facts:
        return None
    constructor, parameter = _kept_by(owners[0][1], node.attr, home)
    calls = [c for c in facts.names.method_calls("__init__") if owner in facts.names.ancestors(c)]
    around = facts.names.enclosing_function(calls[0]) if len(calls) == 1 else None
    if (
        constructor is None
        or parameter is None
        or around is not facts.classes.method(owner, "__init__")
    ):
        return None
    run = _constructor_above(calls[0], facts)
    if run is None or not is_same_function(home, constructor, *run):
        return None
    if is_set_by_others(facts.inference, node.attr) or may_have_classes_below(
        facts.inference, owner
    ):
        return None
    return argument_for(constructor, parameter, calls[0], bound=True)


def _constructor_above(call: ast.Call, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """The constructor that ``super().__init__(…)`` runs, and the file that defines it."""
    if not isinstance(call.func, ast.Attribute):
        return None
    above = class_of_object(super_object(facts.inference, call.func.value), facts)
    found = None if above is None else find_method(above[0].inference, above[1], "__init__")
    home = None if found is None else facts_of(found[0])
    return None if found is None or home is None else (home, found[1])
