"""Which variable holds a model."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Instance

_MAX_DEPTH = 8

Model = tuple[object, str]
"""Which variable holds the model: the scope or class that owns it, and its name there."""


def model_of(facts: Facts, node: ast.AST, depth: int = 0) -> Model | None:
    """The variable that an expression reads a model from; parameters lead to what calls pass."""
    return facts.remembered(("model", node), lambda: _model_of(facts, node, depth))


def _model_of(facts: Facts, node: ast.AST, depth: int) -> Model | None:
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Name):
        found = facts.names.scope_of(node).lookup(node.id)
        if found is None:
            return None
        holder, bindings = found
        if len(bindings) == 1 and isinstance(bindings[0].node, ast.arg):
            return _model_of_parameter(facts, holder.node, bindings[0].node, depth)
        if any(b.kind not in ("assign", "parameter") or b.path for b in bindings):
            return None
        return holder.node, node.id
    if isinstance(node, ast.Attribute):
        if node.attr == "module":
            return model_of(facts, node.value, depth + 1)
        if _is_of_tensors(facts, node.attr):
            return None
        owner = facts.value(node.value)
        if isinstance(owner, Imported):
            owner = owner.value
        return (owner.definition, node.attr) if isinstance(owner, Instance) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if torch_table.gives_its_module(node.func.attr):
            return model_of(facts, node.func.value, depth + 1)
    return None


def _is_of_tensors(facts: Facts, name: str) -> bool:
    """Whether an attribute is one of tensors by its name, and nothing here is called so."""
    return torch_effects.is_known(name) and name not in facts.names.assigned_attributes


def model_of_parameter(facts: Facts, parameter: ast.arg) -> Model | None:
    """The variable that a parameter stands for: what the calls in its file pass, or itself."""
    function = facts.parent(facts.names.parents[parameter])
    return None if function is None else _model_of_parameter(facts, function, parameter, 0)


def _model_of_parameter(
    facts: Facts, function: ast.AST, parameter: ast.arg, depth: int
) -> Model | None:
    given = parameters.arguments_given(facts.inference, parameter)
    if not given:
        return function, parameter.arg
    models = {None if g is None else model_of(facts, g, depth + 1) for g in given}
    return models.pop() if len(models) == 1 else None
