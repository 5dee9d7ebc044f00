"""Layers that have weights: those of torch, and modules that build one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module

_WITH_WEIGHTS = torch_api.LAYERS_WITH_WEIGHTS | {
    f"torch.nn.{name}"
    for name in (
        *torch_api.RECURRENT,
        *torch_api.RECURRENT_CELLS,
        *"LSTMCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer".split(),
    )
}


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
