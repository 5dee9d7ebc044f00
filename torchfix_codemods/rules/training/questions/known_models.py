"""What is known of a model in a variable: its module, and whether another is a part of it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    loaded_path,
    same_path,
    saved_object,
    saved_path,
)
from torchfix_codemods.facts.values.lattice import Module


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
