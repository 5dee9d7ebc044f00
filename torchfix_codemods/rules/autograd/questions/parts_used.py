"""Which parts of a module of the project one of its methods uses."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Module, Unknown, Value


def class_of_module(value: Value, facts: Facts) -> tuple[ast.ClassDef, Facts] | None:
    """The class of a module, if the project defines it, and what is known of its file."""
    if not isinstance(value, Module):
        return None
    origin = imported_as(value)
    if origin is not None:
        made, there = origin.value, facts_of(origin.owner)
        definition = made.definition if isinstance(made, Module) else None
        return None if definition is None or there is None else (definition, there)
    return None if value.definition is None else (value.definition, facts)


def parts_used(definition: ast.ClassDef, facts: Facts, method: str) -> set[str] | None:
    """The attributes that hold parameters and that a method of a module uses.

    None where it calls, or goes through, what is not known.
    """
    pending, seen, parts = [method], set[str](), set[str]()
    while pending:
        found = facts.classes.method(definition, pending.pop())
        if found is None:
            return None
        seen.add(found.name)
        this = facts.classes.self_name(found)
        for node in walk(found):
            if not isinstance(node, ast.Attribute) or getattr(node.value, "id", None) != this:
                continue
            if facts.classes.method(definition, node.attr) is not None:
                pending += [node.attr] if node.attr not in seen else []
            elif facts.is_module(node) or is_parameter(node, facts):
                parts.add(node.attr)
            elif isinstance(facts.value(node), Unknown) and _may_be_run(node, facts):
                return None
    return parts


def _may_be_run(node: ast.expr, facts: Facts) -> bool:
    """Whether an attribute, or an item of it, is called or gone through."""
    child: ast.AST = node
    while isinstance(parent := facts.parent(child), (ast.Attribute, ast.Subscript)):
        child = parent
    if isinstance(parent, ast.Call):
        return True
    return isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is child
