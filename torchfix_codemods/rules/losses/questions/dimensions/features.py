"""The layers whose features a softmax gets, which are its last dimension, or its second."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.applications import applications, as_applied
from torchfix_codemods.facts.evaluation.parameters import default_value
from torchfix_codemods.facts.language.arguments import (
    constant,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import torch_layers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.paths.named import class_of_object
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import of_same_shape
from torchfix_codemods.facts.values.lattice import (
    Maybe,
    Method,
    Module,
    Number,
    Unknown,
    Value,
)
from torchfix_codemods.rules.losses.questions.dimensions.added_layers import layer_before
from torchfix_codemods.rules.losses.questions.single_dimensions import width
from torchfix_codemods.text.wording import listed, worded

_CHANNELS = torch_layers.that("channels")
#: Through so many names the input of a softmax is followed.
_MAX_DEPTH = 4
#: So many layers are all named.
_MOST_NAMED = 3


def features_before(
    facts: Facts, call: ast.Call, tensor: ast.expr | None
) -> tuple[int, str] | None:
    """The dimension of the features that come to a softmax as they are, and of which layers.

    Those of a linear layer are the last one, those of a convolution or batch norm the second.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.

    Returns:
        None where that is not certain, and of a layer that gives one number only.
    """
    if tensor is not None:
        return _layer_of(facts, tensor)
    before = layer_before(facts, call)
    if before is not None:
        dim = _dim_of(facts, before)
        return None if dim is None else (dim, worded(before, "the layer before it"))
    given = [
        values_given(as_applied(facts.names, each))
        for each in applications(facts.inference, call) or ()
    ]
    named = dict.fromkeys(_layer_of(facts, one[0]) if len(one) == 1 else None for one in given)
    found = [one for one in named if one is not None]
    if not found or len(found) < len(named) or len({dim for dim, _ in found}) > 1:
        return None
    layers = [name for _, name in found]
    told = listed(layers) if len(layers) <= _MOST_NAMED else "the layers before it"
    return found[0][0], told


def _layer_of(facts: Facts, tensor: ast.expr, depth: int = 0) -> tuple[int, str] | None:
    while (inner := of_same_shape(facts, tensor) or scaled(facts, tensor)) is not None:
        tensor = inner
    if depth >= _MAX_DEPTH:
        return None
    made = facts.assigned(tensor) if isinstance(tensor, ast.Name) else None
    if isinstance(tensor, ast.IfExp):
        made = [tensor.body, tensor.orelse]
    if made is not None:
        # What comes on another way is for the reader to say, who is told of a condition.
        each = [_layer_of(facts, one, depth + 1) for one in made]
        found = [one for one in each if one is not None]
        return found[0] if len({dim for dim, _ in found}) == 1 else None
    cut = _cut(tensor)
    if cut is not None:
        return _layer_of(facts, cut, depth + 1)
    squeezed = _squeezed(facts, tensor)
    if squeezed is not None:
        before = _layer_of(facts, squeezed, depth + 1)
        # Several features stay, and stay the last dimension.
        return before if before is not None and before[0] == -1 else None
    layer = tensor.func if isinstance(tensor, ast.Call) else None
    if isinstance(layer, ast.Attribute) and layer.attr == "forward":
        layer = layer.value
    dim = None if layer is None else _dim_of(facts, layer)
    if dim is None or layer is None:
        return None
    return dim, worded(layer, "the layer before it")


def _cut(node: ast.expr) -> ast.expr | None:
    """``x`` of ``x[:, :4]``, which has all dimensions of x, and several features."""
    parts = indices(node.slice) if isinstance(node, ast.Subscript) else []
    cuts = [part for part in parts if isinstance(part, ast.Slice)]
    if not isinstance(node, ast.Subscript) or not cuts or len(cuts) < len(parts):
        return None
    ends = [0 if end is None else whole_number(end) for end in (cuts[-1].lower, cuts[-1].upper)]
    first, last = ends
    is_one = first is not None and last is not None and last - first == 1
    return None if is_one else node.value


def _squeezed(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.squeeze()`` and ``torch.squeeze(x, 1)``."""
    found = operated(facts, node) if isinstance(node, ast.Call) and not is_opaque(node) else None
    is_squeeze = found is not None and found[0] in ("torch.squeeze", "torch.Tensor.squeeze")
    return found[1] if found is not None and is_squeeze else None


def scaled(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x / scale``, where it is not known what that is: mostly a number.

    Of ``scale * x`` it is one by its default.

    Args:
        facts: the facts of the module.
        node: any expression.
    """
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Div, ast.Mult)):
        return None
    if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Name):
        _, parameter = parameter_held(node.left, facts)
        if parameter and isinstance(default_value(facts.inference, parameter), Number):
            return node.right
    if not isinstance(node.right, (ast.Name, ast.Attribute)):
        return None
    return node.left if isinstance(facts.value(node.right), Unknown) else None


def unscaled(facts: Facts, node: ast.expr) -> ast.expr:
    """``x`` of ``x / scale`` and ``2 * x``, which has as many dimensions where that is a number.

    Args:
        facts: the facts of the module.
        node: any expression.
    """
    is_scaled = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult))
    inner = (of_same_shape(facts, node) if is_scaled else None) or scaled(facts, node)
    return node if inner is None else unscaled(facts, inner)


def _dim_of(facts: Facts, node: ast.expr) -> int | None:
    """The dimension of what a layer, or the last of an ``nn.Sequential``, gives for each."""
    layer = facts.value(node)
    if not isinstance(layer, Method) or not isinstance(layer.receiver, Module):
        return _dim_of_layer(facts, layer)
    # ``self.model.out`` of whichever model it is: each has such a layer.
    dims = set[int | None]()
    for model in layer.receiver.either:
        home, cls = class_of_object(model, facts) or (facts, None)
        part = None if cls is None else home.inference.attribute(cls, layer.name)
        dims.add(None if part is None else _dim_of_layer(home, part))
    return dims.pop() if len(dims) == 1 else None


def _dim_of_layer(facts: Facts, layer: Value) -> int | None:
    if isinstance(layer, Maybe):
        # None is not called.
        layer = layer.value
    if not isinstance(layer, Module):
        return None
    columns = width(facts, layer)
    if columns is not None:
        # Of one number each, none is the largest.
        return None if constant(columns) == 1 else -1
    return 1 if (layer.cls or "").removeprefix("torch.nn.") in _CHANNELS else None
