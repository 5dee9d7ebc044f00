"""Which parameter a name holds, or an attribute that the constructor keeps."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self


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
    sources = facts.classes.attribute_sources(owner, node.attr)
    stored = sources[0].written() if len(sources) == 1 else None
    if not isinstance(stored, ast.Name):
        return None, None
    constructor, parameter = parameter_held(stored, facts)
    if constructor is None or parameter is None or constructor.name != "__init__":
        return None, None
    if facts.parent(constructor) is not owner or is_set_by_others(facts.inference, node.attr):
        return None, None
    return constructor, parameter
