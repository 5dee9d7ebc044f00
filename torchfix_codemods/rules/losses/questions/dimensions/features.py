"""The linear layers whose features a softmax gets, which are its last dimension."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.applications import applications, as_applied
from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import of_same_shape
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.losses.questions.single_dimensions import width
from torchfix_codemods.text.wording import listed, worded

#: Through so many names the input of a softmax is followed.
_MAX_DEPTH = 4
#: So many layers are all named.
_MOST_NAMED = 3


def linear_before(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> str | None:
    """How the layer is called, or the layers, whose features come to a softmax as they are.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.

    Returns:
        None where that is not certain, and of a layer that gives one number only.
    """
    if tensor is not None:
        return _layer_of(facts, tensor)
    container = facts.parent(call)
    if isinstance(container, ast.Call) and call in container.args:
        place = container.args.index(call)
        is_listed = facts.name(container.func) == "torch.nn.Sequential" and place > 0
        before = container.args[place - 1]
        return (
            worded(before, "the layer before it")
            if is_listed and _is_linear(facts, before)
            else None
        )
    given = [
        values_given(as_applied(facts.names, each))
        for each in applications(facts.inference, call) or ()
    ]
    named = dict.fromkeys(_layer_of(facts, one[0]) if len(one) == 1 else None for one in given)
    layers = [name for name in named if name is not None]
    if not layers or len(layers) < len(named):
        return None
    return listed(layers) if len(layers) <= _MOST_NAMED else "the layers before it"


def _layer_of(facts: Facts, tensor: ast.expr, depth: int = 0) -> str | None:
    while (inner := of_same_shape(facts, tensor)) is not None:
        tensor = inner
    made = facts.assigned(tensor) if isinstance(tensor, ast.Name) else None
    if made is not None and len(made) == 1 and depth < _MAX_DEPTH:
        return _layer_of(facts, made[0], depth + 1)
    if not isinstance(tensor, ast.Call) or not _is_linear(facts, tensor.func):
        return None
    return worded(tensor.func, "the layer before it")


def _is_linear(facts: Facts, node: ast.expr) -> bool:
    """Whether a layer is a linear one, or ends in one, that gives more than one number each."""
    layer = facts.value(node)
    columns = width(facts, layer) if isinstance(layer, Module) else None
    return columns is not None and constant(columns) != 1
