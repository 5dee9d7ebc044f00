"""Whether a call runs a model of several layers, of which a step would change the weights."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.named import class_of_object, run_by_value
from torchfix_codemods.facts.programs.training import called_function
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import UNKNOWN, Method, Module, Value


def runs_model(call: ast.Call, model: str, facts: Facts, inside: bool = False) -> bool:
    """Whether a call applies a model of several layers, itself or in a function of this file.

    Args:
        call: any call.
        model: how the model is written.
        facts: the facts of the module.
        inside: whether the call stands in such a function.
    """
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        function = function.value
    if ast.unparse(function) == model:
        values = [facts.value(function), value_by_all_calls(function, facts)]
        if isinstance(function, ast.Name):
            values.append(_value_unless_loaded(function, facts))
        return any(_has_several_layers(value, facts) for value in values)
    if inside:
        return False
    called = called_function(call, facts)
    home, method, own = (facts, called, model) if called else _method_of_owner(call, model, facts)
    return method is not None and any(
        isinstance(node, ast.Call) and runs_model(node, own, home, inside=True)
        for node in walk(method)
    )


def may_be_loaded(bindings: Iterable[Binding], facts: Facts) -> bool:
    """Whether one of the assignments gives what ``torch.load()`` read: ``G, D = torch.load(path)``.

    Args:
        bindings: assignments of a model.
        facts: the facts of the module.
    """
    return any(_is_loaded(binding, facts) for binding in bindings)


def _is_loaded(binding: Binding, facts: Facts) -> bool:
    value = binding.value
    return isinstance(value, ast.Call) and facts.name(value.func) == "torch.load"


def _value_unless_loaded(name: ast.Name, facts: Facts) -> Value:
    """What a model is where a checkpoint did not take its place."""
    bindings = facts.flow.reaching(name)
    built = [each for each in bindings if not _is_loaded(each, facts)]
    if len(built) != 1 or len(built) == len(bindings):
        return UNKNOWN
    binding = built[0]
    is_whole = binding.kind == "assign" and not binding.path
    return facts.value(binding.value) if is_whole and binding.value is not None else UNKNOWN


def _method_of_owner(
    call: ast.Call, model: str, facts: Facts
) -> tuple[Facts, ast.FunctionDef | None, str]:
    """The method of the object that holds a model, ``self.gan.judge(x)`` for ``self.gan.D``, and
    how the model is written there: ``self.D``."""
    function, (owner, _, name) = call.func, model.rpartition(".")
    own = f"self.{name}"
    if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != owner:
        return facts, None, own
    held = value_by_all_calls(function.value, facts)
    home, method = run_by_value(Method(held, function.attr), facts) or (facts, None)
    return home, method, own


def _has_several_layers(model: Value, facts: Facts) -> bool:
    """Whether the gradients certainly need weights of the model: those of its second layer."""
    if isinstance(model, Module) and model.cls in torch_api.MODULE_WRAPPERS:
        wrapped = model.call.args[:1] if model.call is not None and model.origin is None else []
        return any(_has_several_layers(facts.value(each), facts) for each in wrapped)
    home, defined = class_of_object(model, facts) or (facts, None)
    built: ast.AST | None = defined
    if isinstance(model, Module) and model.cls == "torch.nn.Sequential" and built is None:
        built = model.call
    return (
        built is not None
        and sum(
            isinstance(node, ast.Call) and home.name(node.func) in torch_api.LAYERS_WITH_WEIGHTS
            for node in walk(built)
        )
        > 1
    )
