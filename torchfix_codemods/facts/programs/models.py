"""Which variable holds a model."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    loaded_path,
    same_path,
    saved_object,
    saved_path,
)
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Instance, Module

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


#: What tensors have besides methods, and nobody calls a model.
_OF_TENSORS = frozenset("data device dtype grad grad_fn is_cuda layout requires_grad shape".split())


def _is_of_tensors(facts: Facts, name: str) -> bool:
    """Whether an attribute is one of tensors by its name, and nothing here is called so."""
    is_known = name in _OF_TENSORS or torch_table.is_method(name)
    return is_known and name not in facts.names.assigned_attributes


def variable_name(node: ast.AST) -> str | None:
    """The last name in what :func:`model_of` takes for a variable; None where it takes nothing."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr == "module":
            node = node.value
        else:
            break
    return last_name(node)


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


def module_of(facts: Facts, node: ast.expr) -> Module | None:
    """The module that an expression certainly is, or that it is when this file saved it."""
    value = facts.value(node)
    if isinstance(value, Module):
        return value
    model = model_of(facts, node)
    if model is None or not isinstance(model[0], ast.AST) or model[0] not in facts.names.scopes:
        return None
    found: Module | None = None
    for binding in facts.names.scopes[model[0]].bindings.get(model[1], ()):
        if not isinstance(binding.value, ast.Call) or binding.path:
            return None
        if model_of(facts, binding.value) == model:
            # ``model = model.cuda()``
            continue
        found = _loaded(facts, binding.value)
        if found is None:
            return None
    return found


def _loaded(facts: Facts, load: ast.Call) -> Module | None:
    """The model that ``torch.load`` reads, where the file saves one under the same path."""
    if facts.name(load.func) != "torch.load":
        return None
    for save in calls_of(facts, "torch.save"):
        saved = saved_object(save)
        if saved is not None and same_path(facts, saved_path(save), loaded_path(load)):
            value = facts.value(saved)
            return value if isinstance(value, Module) else None
    return None


def is_about_another(facts: Facts, call: ast.Call, model: Model, sample: ast.expr) -> bool:
    """Whether a mode call certainly reaches no part of the model that ``sample`` reads."""
    assert isinstance(call.func, ast.Attribute)
    receiver = call.func.value
    other = model_of(facts, receiver)
    if other is None or other == model:
        return False
    values = facts.value(receiver), facts.value(sample)
    if not all(isinstance(v, Module) and v.call is not None for v in values):
        return False
    # ``model = Both(encoder, decoder)``: the other one may be a part of this one.
    built = [v.call for v in values if isinstance(v, Module) and v.call is not None]
    return built[0] is not built[1] and not any(
        isinstance(node, (ast.Name, ast.Attribute)) and facts.is_module(node)
        for construction in built
        for argument in (*construction.args, *(k.value for k in construction.keywords))
        for node in walk(argument)
    )
