"""Which variable holds a model, which models an optimizer steps, and what has weights."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import given_for, value_by_all_calls
from torchfix_codemods.facts.paths.held import parameter_held, set_in_class
from torchfix_codemods.facts.paths.named import class_of_object
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Instance, Module, Optimizer

_MAX_DEPTH = 8
_WITH_WEIGHTS = torch_api.LAYERS_WITH_WEIGHTS | {
    f"torch.nn.{name}"
    for name in (
        *torch_api.RECURRENT,
        *torch_api.RECURRENT_CELLS,
        *"LSTMCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer".split(),
    )
}

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


def models_of(optimizer: ast.expr, facts: Facts) -> set[str]:
    """``encoder`` and ``model.head`` of what an optimizer is given; empty where not certain."""
    built = facts.assigned(optimizer) if isinstance(optimizer, ast.Name) else None
    model = _model_given_to(built[0]) if built is not None and len(built) == 1 else None
    return set() if model is None else {ast.unparse(model)}


def _model_given_to(built: ast.expr) -> ast.expr | None:
    """``model`` of ``Adam(model.parameters())``."""
    given = argument(built, 0, "params") if isinstance(built, ast.Call) else None
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
        return None
    return given.func.value if given.func.attr == "parameters" else None


def model_stepped(optimizer: ast.expr, facts: Facts) -> str | None:
    """How the one model is written that an optimizer steps.

    Args:
        optimizer: a name, ``self.optimizer``, or a parameter beside which each known call gives
            the model as well.
        facts: the facts of the module.

    Returns:
        None where it is not certain.
    """
    function, parameter = (
        parameter_held(optimizer, facts) if isinstance(optimizer, ast.Name) else (None, None)
    )
    if function is not None and parameter is not None:
        models = _parameters_beside(parameter, function, facts)
    elif isinstance(facts.value(optimizer), Optimizer):
        models = models_of(optimizer, facts) or _models_of_attribute(optimizer, facts)
    else:
        return None
    return models.pop() if len(models) == 1 else None


def _parameters_beside(parameter: ast.arg, function: ast.FunctionDef, facts: Facts) -> set[str]:
    """The parameters for which each known call gives a model that its optimizer steps."""
    models = [
        models_of(given, there)
        if given is not None and isinstance(there.value(given), Optimizer)
        else set()
        for given, there in given_for(parameter, function, facts)
    ]
    if not all(models):
        return set()
    return {
        other.arg
        for other in (function.args.args if models else ())
        if all(
            given is not None and ast.unparse(given) in names
            for (given, _), names in zip(given_for(other, function, facts), models, strict=True)
        )
    }


def _models_of_attribute(optimizer: ast.expr, facts: Facts) -> set[str]:
    """``self.G`` of ``self.optimizer = Adam(self.G.parameters())``, where that is all of both."""
    built = _only_value_of(optimizer, facts)
    model = None if built is None else _model_given_to(built)
    is_held = model is not None and (
        _only_value_of(model, facts) is not None or _is_held_by_part(model, facts)
    )
    return {ast.unparse(model)} if model is not None and is_held else set()


def _is_held_by_part(model: ast.expr, facts: Facts) -> bool:
    """Whether ``self.gan.D`` is one model: of what the constructor keeps, set there alone."""
    if not isinstance(model, ast.Attribute) or _only_value_of(model.value, facts) is None:
        return False
    home, owner = class_of_object(value_by_all_calls(model.value, facts), facts) or (facts, None)
    if owner is None or is_set_by_others(home.inference, model.attr):
        return False
    stores = [n for n in home.names.attributes(model.attr) if not isinstance(n.ctx, ast.Load)]
    return len(stores) == 1 and home.names.enclosing_class(stores[0]) is owner


def _only_value_of(attribute: ast.expr, facts: Facts) -> ast.expr | None:
    """What ``self.x`` is assigned, if its class does so once and no other file speaks of it."""
    if not isinstance(attribute, ast.Attribute) or not isinstance(attribute.value, ast.Name):
        return None
    values = set_in_class(attribute, facts)
    is_seen = len(values) == 1 and not facts.is_used_elsewhere(attribute.attr)
    return values[0] if is_seen else None


def has_weights(facts: Facts, layer: ast.expr) -> bool:
    """Whether a call builds a layer that has weights, as far as its file can tell.

    Args:
        facts: the facts of the module.
        layer: any expression.
    """
    if not isinstance(layer, ast.Call):
        return False
    if facts.name(layer.func) in _WITH_WEIGHTS:
        return True
    module = facts.value(layer)
    if not isinstance(module, Module) or module.call is not layer:
        return False
    built = layer if module.definition is None else module.definition
    return any(
        isinstance(node, ast.Call) and facts.name(node.func) in _WITH_WEIGHTS
        for node in walk(built)
    )
