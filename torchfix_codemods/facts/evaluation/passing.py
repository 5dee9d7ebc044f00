"""What a call shows about what it is given: a layer of torch takes a tensor, and so may a function.

A function shows it where it uses its parameter as a tensor whichever way it goes.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.evaluation.layers import assigned_modules, first_layer
from torchfix_codemods.facts.evaluation.parameters import parameters_given
from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.evidence.kind_checks import is_kind_checked
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries import losses
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Method,
    Module,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def is_taken_as_tensor(inference: Inference, node: ast.expr) -> bool:
    """Whether a call that ``node`` is an argument of takes only a tensor there."""
    names = inference.names
    call = names.parents.get(node)
    if isinstance(call, ast.keyword):
        call = names.parents.get(call)
    if not isinstance(call, ast.Call) or call.func is node or is_opaque(call):
        return False
    if names.name(call.func) is not None:
        return False
    callee = inference.value(call.func)
    if isinstance(callee, Unknown) and isinstance(call.func, ast.Attribute):
        base = classes_elsewhere.super_object(inference, call.func.value)
        callee = base if call.func.attr == "forward" else Method(base, call.func.attr)
    if isinstance(callee, Module) and callee.cls is not None:
        return _is_taken_by_layer(inference, callee, call, node)
    found = classes_elsewhere.run_by_call(inference, callee)
    if found is None:
        return False
    owner, function = found
    if owner.classes.is_wrapped(function):
        return False
    is_bound = classes_elsewhere.is_bound(owner, callee, function)
    taking = parameters_given(function, node, call, is_bound)
    return any(owner.parameter_shows(function, parameter) == Tensor() for parameter in taking)


def _is_taken_by_layer(inference: Inference, layer: Module, call: ast.Call, node: ast.expr) -> bool:
    if layer.cls in losses.LOSSES:
        return node in call.args[:2] and not call.keywords
    if call.args[:1] != [node]:
        return False
    if layer.cls == "torch.nn.Sequential":
        built = [layer] if layer.call is not None else assigned_modules(inference, call.func)
        firsts = [first_layer(inference, one) for one in built or ()]
        return bool(firsts) and all(
            isinstance(first, Module)
            and first.cls not in (None, layer.cls)
            and _is_taken_by_layer(inference, first, call, node)
            for first in firsts
        )
    return (layer.cls or "").rpartition(".")[2] in torch_api.TAKE_TENSORS


def parameter_shows(inference: Inference, function: _Definition, parameter: ast.arg) -> Value:
    """A tensor where each way through a function uses its parameter as one."""
    names = inference.names
    scope = names.scopes.get(function)
    if scope is None or not function.body:
        return Unknown()
    body = inference.branches.of(function.body[0])
    leaves = _first_way_out(inference, function)
    for use in scope.uses.get(parameter.arg, ()):
        if is_kind_checked(inference.names, use):
            return Unknown()
        if use.lineno > leaves or inference.branches.of(use) is not body:
            continue
        if [binding.node for binding in inference.flow.reaching(use)] != [parameter]:
            continue
        if proofs.proves_tensor(names, use) or is_taken_as_tensor(inference, use):
            return Tensor()
    return Unknown()


def _first_way_out(inference: Inference, function: _Definition) -> float:
    """The line of the first ``return``; the function's own where it only runs when iterated."""
    line = float("inf")
    for node in inference.exits.get(function, ()):
        if not isinstance(node, ast.Return):
            return float(function.lineno)
        line = min(line, node.end_lineno or node.lineno)
    return line
