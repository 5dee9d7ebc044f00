"""Which layers a list of layers can hold: ``nn.Sequential(*layers)``, ``*block(3, 64)``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import operations
from torchfix_codemods.facts.libraries import container_methods, losses
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    UNKNOWN,
    Function,
    Instance,
    Module,
    Tensor,
    Value,
)
from torchfix_codemods.facts.values.sequential import layers_in_order

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

_HARMLESS_BUILTINS = frozenset("range len int list tuple enumerate zip super print max min".split())


def after_layers(
    inference: Inference, layers: ast.expr, called: Callable[[Module], Value]
) -> Value:
    """What the layers of a list certainly give, whatever comes in.

    A tensor, where the function that fills the list builds nothing but layers that give one; a
    contiguous one, where one at least makes it so and the others keep it.

    Args:
        inference: the values of the module.
        layers: the list.
        called: tells what a module of this file gives.
    """
    function: ast.AST | None = inference.names.enclosing_function(layers)
    if isinstance(layers, ast.Call):
        callee = inference.value(layers.func)
        function = callee.definition if isinstance(callee, Function) else None
    elif not isinstance(layers, ast.Name):
        return UNKNOWN
    if function is None:
        return UNKNOWN
    built, keeps = set(), True
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and not _is_harmless(inference, node, function):
            name = inference.names.name(node.func) or ""
            bare = name.rpartition(".")[2]
            if name == f"torch.nn.{bare}" and bare in torch_api.LAYERS:
                built.add(bare)
                continue
            value = inference.value(node)
            if not isinstance(value, Module) or value.definition is None or value.call is not node:
                return UNKNOWN
            given = called(value)
            if not isinstance(given, Tensor):
                return UNKNOWN
            keeps = keeps and given.contiguous
    if not built:
        return UNKNOWN
    return Tensor(contiguous=keeps and not built.isdisjoint(torch_api.FRESH_LAYERS))


def with_layers_added(
    inference: Inference, built: ast.Call, value: Value, called: Callable[[Module], Value]
) -> Value:
    """What an ``nn.Sequential`` gives that a file may add layers to, after it is built.

    Args:
        inference: the values of the module.
        built: the call that builds it.
        value: what its first layers give.
        called: tells what a layer gives.
    """
    names = inference.names
    added = [call.args[1:2] for call in names.method_calls("add_module")]
    if not built.args and any(
        isinstance(call.func, ast.Attribute)
        and isinstance(inference.value(call.func.value), Module)
        for method in container_methods.keeping("list")
        for call in names.method_calls(method)
    ):
        return UNKNOWN
    layers = [inference.value(layer[0]) if layer else UNKNOWN for layer in added]
    if not all(_gives_tensor(layer, called) for layer in layers):
        return UNKNOWN
    return Tensor() if layers else value


def _gives_tensor(layer: Value, called: Callable[[Module], Value]) -> bool:
    if not isinstance(layer, Module):
        return False
    module, _, bare = (layer.cls or "").rpartition(".")
    if module == "torch.nn":
        return bare in torch_api.LAYERS
    return layer.definition is not None and isinstance(called(layer), Tensor)


def first_layer(inference: Inference, sequential: Module) -> Value:
    """The layer that gets what an ``nn.Sequential`` gets."""
    built = sequential.call
    layers = [] if built is None else layers_in_order(inference.names, built)
    if not layers:
        return UNKNOWN
    if not isinstance(layers[0], ast.Starred):
        return inference.value(layers[0])
    first = _first_of(inference, layers[0].value)
    return UNKNOWN if first is None else inference.value(first)


def assigned_modules(inference: Inference, function: ast.expr) -> list[Module] | None:
    """The modules that ``self.block`` may hold, each built by one call; None where not certain."""
    if not isinstance(function, ast.Attribute):
        return None
    base = inference.value(function.value)
    if not isinstance(base, (Module, Instance)) or base.definition is None:
        return None
    modules = []
    for source in inference.classes.attribute_sources(base.definition, function.attr):
        value = UNKNOWN if source.value is None or source.path else inference.value(source.value)
        if not (isinstance(value, Module) and value.call is not None):
            return None
        modules.append(value)
    return modules


def is_of_loss(inference: Inference, call: ast.Call) -> bool:
    """Whether a call is one of a loss of torch: ``F.mse_loss(x, y)``, ``criterion(x, y)``."""
    name = inference.names.name(call.func) or ""
    if name.removeprefix("torch.nn.functional.") in losses.FUNCTIONAL_LOSSES:
        return True
    loss = inference.value(call.func)
    built = (loss.either or {loss}) if isinstance(loss, Module) else ()
    return bool(built) and all(each.cls in losses.LOSSES for each in built)


def is_reduced_loss(inference: Inference, loss: Module, function: ast.expr) -> bool:
    """Whether a loss gives one number, in whichever branch it is built.

    Args:
        inference: the values of the module.
        loss: the loss.
        function: the expression that is called.
    """
    built = loss.either or ({loss} if loss.call else assigned_modules(inference, function))
    return loss.is_reduced or (bool(built) and all(map(is_built_reduced, built or ())))


def is_built_reduced(loss: Module) -> bool:
    """Whether a loss gives one number, by the call that builds it."""
    is_reduced = loss.call is not None and operations.is_reduced(loss.call, loss.cls)
    return loss.is_reduced or (is_reduced and loss.cls in losses.LOSSES)


def may_be_batch_first(node: ast.Call) -> bool:
    """Whether the construction of a recurrent layer can ask for ``batch_first=True``."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or len(node.args) > 4:
        return True
    return any(
        k.arg is None or (k.arg == "batch_first" and not operations.is_false(k.value))
        for k in node.keywords
    )


def _first_of(inference: Inference, listed: ast.expr) -> ast.expr | None:
    """The first element of a list that only grows after it was written down."""
    if not isinstance(listed, ast.Name):
        return None
    names = inference.names
    found = names.scope_of(listed).lookup(listed.id)
    if found is None or found[0] is not names.scope_of(listed):
        return None
    written = [binding for binding in found[1] if binding.kind != "augassign"]
    literal = written[0].value if len(written) == 1 else None
    if not (isinstance(literal, (ast.List, ast.Tuple)) and literal.elts) or written[0].path:
        return None
    for use in names.uses_of(found[0], listed.id):
        parent = names.parents.get(use)
        if isinstance(parent, ast.Attribute):
            if not container_methods.leaves_places(parent.attr):
                return None
        elif isinstance(parent, ast.Subscript):
            if not isinstance(parent.ctx, ast.Load):
                return None
        elif not isinstance(parent, (ast.Starred, ast.For, ast.Return)):
            return None
    return None if isinstance(literal.elts[0], ast.Starred) else literal.elts[0]


def _is_harmless(inference: Inference, call: ast.Call, function: ast.AST) -> bool:
    """Whether a call certainly brings no further layer into the list."""
    callee = call.func
    name = inference.names.name(callee)
    if name is not None:
        return name == "torch.nn.Sequential"
    if isinstance(callee, ast.Attribute):
        return callee.attr in container_methods.keeping("list") | {"format", "__init__"}
    if not isinstance(callee, ast.Name):
        return False
    builtin = inference.names.builtin(callee)
    if builtin is not None:
        return builtin in _HARMLESS_BUILTINS
    value = inference.value(callee)
    # A function inside is walked through as well.
    return isinstance(value, Function) and function in (
        value.definition,
        *inference.names.ancestors(value.definition),
    )
