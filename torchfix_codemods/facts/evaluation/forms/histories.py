"""Whether a result has a history: only where something that goes in can be part of a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.forms.fitting import Binding
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries.torch_table import Result
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Array,
    Device,
    NoneValue,
    Number,
    Size,
    Tensor,
    Text,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


#: What certainly brings no history into an operation.
_PLAIN = (Number, Text, NoneValue, Size, Device, Array)
#: Parameters that say where a tensor goes, which has nothing to do with its history.
_PLACES = frozenset({"device"})
#: Methods that draw by a probability, which need not be a tensor.
_DRAWING = frozenset({"bernoulli_"})


def history_of_result(
    inference: Inference, function: str, binding: Binding, result: Result, node: ast.Call | None
) -> bool | None:
    """False where no tensor that goes in can be part of a graph, or none comes out of it."""
    for keyword in node.keywords if node is not None else ():
        if keyword.arg in ("requires_grad", None):
            if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False):
                return None
    is_layer = function[:1].isupper()
    if function == "requires_grad_" or (is_layer and function not in torch_api.WITHOUT_PARAMETERS):
        return None
    if "n" in result.flags:
        return False
    if node is not None and is_opaque(node):
        # ``x.view(*sizes)``: nothing but x brings a history.
        if any(parameter.kind in "TLWo" for parameter in binding.form.parameters[1:]):
            return None
    others = [
        given
        for parameter in binding.form.parameters
        if parameter.kind == "o"
        and parameter.name not in _PLACES
        and (given := binding.given.get(parameter.name)) is not None
        and (result.history is None or parameter.name in result.history)
    ]
    tensors = list(binding.tensors(result.history))
    if function in _DRAWING:
        tensors = [
            given.value
            for given in binding.given.values()
            if isinstance(given.value, Tensor) or not _is_number_by_default(inference, given.node)
        ]
    without = all(isinstance(v, Tensor) and v.grad is False for v in tensors)
    plain = all(
        isinstance(given.value, _PLAIN)
        or (isinstance(given.value, Tensor) and given.value.grad is False)
        or (given.node is not None and inference.names.name(given.node) is not None)
        for given in others
    )
    return False if without and plain and (tensors or others) else None


def _is_number_by_default(inference: Inference, node: ast.expr | None) -> bool:
    """``1 - dropout`` of a parameter ``dropout=0.5``: no caller makes that part of a graph."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)] if node is not None else []
    bindings = [binding for name in names for binding in inference.flow.reaching(name)]
    return bool(bindings) and all(
        binding.kind == "parameter" and _has_number_as_default(inference, binding.node)
        for binding in bindings
    )


def _has_number_as_default(inference: Inference, parameter: ast.AST) -> bool:
    arguments = inference.names.parents.get(parameter)
    if not isinstance(arguments, ast.arguments):
        return False
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    default = next((value for arg, value in defaults.items() if arg is parameter), None)
    return isinstance(default, ast.Constant) and type(default.value) in (int, float)
