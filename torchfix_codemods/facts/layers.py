"""Which layers a list of layers can hold: ``nn.Sequential(*layers)``, ``*block(3, 64)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.values import UNKNOWN, Function, Tensor, Value

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference

_LIST_METHODS = frozenset("append extend insert format __init__".split())
_HARMLESS_BUILTINS = frozenset("range len int list tuple enumerate zip super print max min".split())


def after_layers(inference: Inference, layers: ast.expr) -> Value:
    """What the layers of a list certainly give, whatever comes in.

    A tensor, where the function that fills the list builds nothing but layers of torch that give
    one; a contiguous one, where one at least makes it so and the others keep it.
    """
    function: ast.AST | None = inference.names.enclosing_function(layers)
    if isinstance(layers, ast.Call):
        callee = inference.value(layers.func)
        function = callee.definition if isinstance(callee, Function) else None
    elif not isinstance(layers, ast.Name):
        return UNKNOWN
    if function is None:
        return UNKNOWN
    built = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and not _is_harmless(inference, node, function):
            name = inference.names.name(node.func) or ""
            bare = name.rpartition(".")[2]
            if name != f"torch.nn.{bare}" or bare not in torch_api.LAYERS:
                return UNKNOWN
            built.add(bare)
    return Tensor(contiguous=not built.isdisjoint(torch_api.FRESH_LAYERS)) if built else UNKNOWN


def _is_harmless(inference: Inference, call: ast.Call, function: ast.AST) -> bool:
    """Whether a call certainly brings no further layer into the list."""
    callee = call.func
    name = inference.names.name(callee)
    if name is not None:
        return name == "torch.nn.Sequential"
    if isinstance(callee, ast.Attribute):
        return callee.attr in _LIST_METHODS
    if not isinstance(callee, ast.Name):
        return False
    if inference.names.scope_of(callee).lookup(callee.id) is None:
        return callee.id in _HARMLESS_BUILTINS
    value = inference.value(callee)
    # A function inside is walked through as well.
    return isinstance(value, Function) and function in (
        value.definition,
        *inference.names.ancestors(value.definition),
    )
