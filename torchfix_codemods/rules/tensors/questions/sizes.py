"""Places that take whole numbers and nothing else: sizes, channels, paddings, indices, bounds."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import run_by_call
from torchfix_codemods.facts.language.arguments import call_taking, is_opaque
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.uses import (
    augmented,
    bindings_by,
    parameter_bindings,
    uses_of,
)
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Array,
    Module,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
)

#: How many of the arguments of a layer, from the first one on, are whole numbers.
_LAYERS = {
    **{f"Conv{n}d": 7 for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": 7 for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": 1 for n in (1, 2, 3)},
    **{f"MaxPool{n}d": 4 for n in (1, 2, 3)},
    **{f"AvgPool{n}d": 3 for n in (1, 2, 3)},
    **{f"Adaptive{kind}Pool{n}d": 1 for kind in ("Avg", "Max") for n in (1, 2, 3)},
    **dict.fromkeys(("ReflectionPad2d", "ReplicationPad2d", "ZeroPad2d", "ConstantPad2d"), 1),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), 3),
    **dict.fromkeys(("LSTMCell", "GRUCell", "RNNCell", "Linear", "Embedding", "GroupNorm"), 2),
    "Bilinear": 3,
    "LayerNorm": 1,
    "PixelShuffle": 1,
}
_KEYWORDS = frozenset(
    """in_channels out_channels kernel_size stride padding dilation groups output_padding
    in_features out_features in1_features in2_features num_features num_groups num_channels
    normalized_shape num_embeddings embedding_dim input_size hidden_size num_layers output_size
    upscale_factor""".split()
)

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)
_MAX_DEPTH = 8


def is_size(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether the value of ``node`` comes to places alone where a float certainly fails.

    Args:
        facts: the facts of the module.
        node: an operation on numbers, or a name for its result.
        depth: how many names and operations have been followed to get here.
    """
    parent = facts.parent(node)
    if depth > _MAX_DEPTH:
        return False
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, _ARITHMETIC):
        other = parent.right if parent.left is node else parent.left
        value = facts.value(other)
        if isinstance(parent.op, ast.Mult) and isinstance(value, (Sequence, Text)):
            return _repeats(facts, other, node)
        is_number = isinstance(value, Unknown) or value in (Number(), Number("int"))
        return is_number and is_size(facts, parent, depth + 1)
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.USub) and is_size(facts, parent, depth + 1)
    if isinstance(parent, ast.Slice):
        return _picks(facts, parent)
    if _picks(facts, node):
        return True
    if isinstance(parent, ast.Assign) and parent.value is node and len(parent.targets) == 1:
        return _name_is_size(facts, parent, parent.targets[0], depth)
    if isinstance(parent, (ast.Tuple, ast.List)):
        return _is_taken(facts, parent, is_several=True)
    return _is_taken(facts, node, is_several=False) or _parameter_is_size(facts, node, depth)


def _repeats(facts: Facts, repeated: ast.expr, times: ast.expr) -> bool:
    """Whether ``repeated * times`` repeats: `[0.5, 2] * (image / 255)` may be one of an array."""
    is_one = isinstance(repeated, (ast.List, ast.Tuple)) and len(repeated.elts) == 1
    return is_one or isinstance(repeated, ast.Constant) or isinstance(facts.value(times), Number)


def _picks(facts: Facts, index: ast.expr) -> bool:
    """Whether an index, or the bounds of a slice, picks from what is certainly no dict."""
    whole: ast.AST | None = index
    outer = facts.parent(index)
    if isinstance(outer, ast.Tuple):
        whole, outer = outer, facts.parent(outer)
    return (
        isinstance(outer, ast.Subscript)
        and outer.slice is whole
        and isinstance(facts.value(outer.value), (Tensor, Array, Sequence, Text))
    )


def _name_is_size(facts: Facts, statement: ast.Assign, target: ast.expr, depth: int) -> bool:
    if not isinstance(target, ast.Name):
        return False
    return _are_sizes(facts, bindings_by(facts, statement, target.id), depth)


def _are_sizes(facts: Facts, bindings: list[Binding], depth: int) -> bool:
    """Whether all that becomes of a name is that it is compared, and used as a size.

    It may be calculated with in place before.
    """
    reached, pending = list(bindings), list(bindings)
    while pending:
        further = [b for b in augmented(facts, pending.pop()) if b not in reached]
        if not all(_calculates(facts, binding.node) for binding in further):
            return False
        reached += further
        pending += further
    uses = [use for binding in reached for use in uses_of(facts, binding)]
    uses = [use for use in uses if not isinstance(facts.parent(use), ast.Compare)]
    return bool(uses) and all(is_size(facts, use, depth + 1) for use in uses)


def is_augmented_size(facts: Facts, statement: ast.AugAssign) -> bool:
    """Whether what ``n /= 2`` gives comes to such places alone, on the way through a loop too."""
    if not isinstance(statement.target, ast.Name):
        return False
    return _are_sizes(facts, bindings_by(facts, statement, statement.target.id), 0)


def _calculates(facts: Facts, node: ast.AST) -> bool:
    """``n *= 2``: with whole numbers, as far as is known."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, _ARITHMETIC):
        return False
    return isinstance(facts.value(node.value), Unknown) or facts.value(node.value) in (
        Number(),
        Number("int"),
    )


def _parameter_is_size(facts: Facts, node: ast.expr, depth: int) -> bool:
    """Whether a function or class of the project takes ``node`` as a size."""
    call = call_taking(facts.names, node)
    if call is None or is_opaque(call):
        return False
    callee = facts.value(call.func)
    found = None if isinstance(callee, Module) else run_by_call(facts.inference, callee)
    there = None if found is None else facts_of(found[0])
    if found is None or there is None:
        return False
    bindings = parameter_bindings(there, found[1], call, node)
    return bool(bindings) and _are_sizes(there, bindings, depth)


def _is_taken(facts: Facts, node: ast.expr, is_several: bool) -> bool:
    """Whether ``node`` is an argument that has to be a whole number, or several of them."""
    parent = facts.parent(node)
    if isinstance(parent, ast.keyword):
        call = facts.parent(parent)
        return isinstance(call, ast.Call) and _is_keyword_taken(facts, call, parent.arg)
    if not (isinstance(parent, ast.Call) and node in parent.args):
        return False
    index = parent.args.index(node)
    if any(isinstance(argument, ast.Starred) for argument in parent.args[:index]):
        return False
    name = facts.name(parent.func)
    if name is None:
        return _is_method_argument(facts, parent, index, is_several)
    module, _, function = name.rpartition(".")
    if module == "torch.nn":
        return index < _LAYERS.get(function, 0) and not _needs_no_size(parent)
    if module in ("torch", "torch.cuda") and function in torch_api.LEGACY_TYPES:
        return not is_several and not _may_be_data(facts, parent)
    return torch_table.takes_whole_numbers(name, index, is_several)


def _may_be_data(facts: Facts, call: ast.Call) -> bool:
    """Whether the one argument of `torch.FloatTensor(image / 255)` may be an array to copy."""
    return len(call.args) == 1 and not isinstance(facts.value(call.args[0]), Number)


def _is_keyword_taken(facts: Facts, call: ast.Call, keyword: str | None) -> bool:
    module, _, function = (facts.name(call.func) or "").rpartition(".")
    if module == "torch.nn":
        return keyword in _KEYWORDS and function in _LAYERS and not _needs_no_size(call)
    return module == "torch.nn.functional" and (
        keyword in _KEYWORDS or (keyword == "pad" and function == "pad")
    )


def _needs_no_size(layer: ast.Call) -> bool:
    """A BatchNorm without statistics never looks at the number of its features."""
    return any(keyword.arg in (None, "track_running_stats") for keyword in layer.keywords)


def _is_method_argument(facts: Facts, call: ast.Call, index: int, is_several: bool) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return facts.names.builtin(function) == "range" and not is_several
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "new":
        is_size = not is_several and not _may_be_data(facts, call)
    else:
        name = f"torch.Tensor.{function.attr}"
        is_size = torch_table.takes_whole_numbers(name, index + 1, is_several)
    return is_size and facts.is_shown_tensor(function.value)
