"""How many dimensions the tensors have that a layer is applied to."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation import module_calls
from torchfix_codemods.facts.evaluation.applications import applications, as_applied
from torchfix_codemods.facts.evidence import changes
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown, Value, ndim_of
from torchfix_codemods.facts.values.sequential import layers_in_order, sequential_with


def ndims_of(inference: Inference, node: ast.expr) -> frozenset[int] | None:
    """The numbers of dimensions that a tensor can have; None where that is not certain."""
    value = inference.value(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return frozenset({value.ndim})
    if isinstance(node, ast.IfExp):
        return _all_of(ndims_of(inference, choice) for choice in (node.body, node.orelse))
    if isinstance(node, ast.Name):
        bindings = inference.flow.reaching(node)
        if len(bindings) > 1 and not changes.may_be_reshaped(inference, node):
            return _all_of(_ndims_of_value(inference.bound(binding)) for binding in bindings)
    return None


def _ndims_of_value(value: Value) -> frozenset[int] | None:
    if isinstance(value, Tensor) and value.ndim is not None:
        return frozenset({value.ndim})
    return None


def _all_of(parts: Iterable[frozenset[int] | None]) -> frozenset[int] | None:
    """The union of what is known part by part; None where there is no part, or one not known."""
    known = list(parts)
    if not known or any(part is None for part in known):
        return None
    return frozenset(ndim for part in known if part is not None for ndim in part)


def ndims_given(inference: Inference, layer: ast.Call) -> frozenset[int] | None:
    """The numbers of dimensions of all that a layer is applied to; None where one is not certain.

    Args:
        inference: the values of the module.
        layer: the call that builds the layer, possibly as one of an ``nn.Sequential``.
    """
    built = sequential_with(inference.names, layer)
    if built is not None:
        layers = layers_in_order(inference.names, built)
        before = layers[: layers.index(layer)]
        return _after_layers(inference, ndims_given(inference, built), before)
    calls = applications(inference, layer)
    if calls is None:
        return None
    return _all_of(_ndims_of_input(inference, call) for call in calls)


def _ndims_of_input(inference: Inference, call: ast.Call) -> frozenset[int] | None:
    given = values_given(as_applied(inference.names, call))
    return ndims_of(inference, given[0]) if len(given) == 1 else None


def _after_layers(
    inference: Inference, ndims: frozenset[int] | None, layers: Iterable[ast.expr]
) -> frozenset[int] | None:
    """The numbers of dimensions behind some layers, one after the other."""
    values: list[Value] = [Tensor(ndim=ndim) for ndim in ndims] if ndims else [Tensor()]
    for layer in layers:
        module = inference.value(layer)
        if not isinstance(module, Module):
            return None
        values = [_output(inference, module, value) for value in values]
    return _all_of(map(_ndims_of_value, values))


def _output(inference: Inference, module: Module, value: Value) -> Value:
    if module.cls == "torch.nn.Sequential":
        ndim = ndim_of(value)
        built = module.call
        inner = () if built is None else layers_in_order(inference.names, built)
        ndims = _after_layers(inference, None if ndim is None else frozenset({ndim}), inner)
        return Tensor(ndim=next(iter(ndims))) if ndims and len(ndims) == 1 else Unknown()
    if module.cls is not None:
        return module_calls.layer_output(inference, module, value)
    forward = (
        None
        if module.definition is None
        else inference.classes.method(module.definition, "forward")
    )
    return Unknown() if forward is None else inference.returned(forward)
