"""Which expressions make a tensor in memory of its own, which nothing else refers to."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import losses, torch_effects, torch_layers, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module

#: How many arguments stand in front of ``inplace`` in functions of ``torch.nn.functional``.
BEFORE_INPLACE = {
    **dict.fromkeys("relu relu6 selu silu".split(), 1),
    **dict.fromkeys("elu celu leaky_relu".split(), 2),
    **dict.fromkeys("hardtanh threshold dropout dropout2d dropout3d alpha_dropout".split(), 3),
    "feature_dropout": 3,
    "rrelu": 4,
}

#: Layers whose result neither shares the memory of their input nor follows its layout.
INDEPENDENT_LAYERS = frozenset(
    "Linear Embedding Bilinear Softmax LogSoftmax Softmin LayerNorm RNN LSTM GRU".split()
)


def is_method_result_fresh(call: ast.Call) -> bool:
    """Whether a method of a tensor gives new memory, or no tensor at all."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if torch_api.query_result(method, len(call.args)) is not None:
        return method not in ("data_ptr", "stride", "is_contiguous")
    return _gives_fresh(method) and not has_out(call)


def is_independent(operation: str) -> bool:
    """Whether a result neither depends on the layout of what was given, nor shares its memory."""
    if operation in losses.FUNCTIONAL_LOSSES or operation in ("tolist", "item", "backward"):
        return True
    # Of one tensor; of two, which legacy code hardly has, it follows them.
    if operation in ("max", "min"):
        return True
    name = torch_effects.of_any(operation)
    is_new = torch_effects.is_fresh(name) and torch_effects.reads_only(name)
    return is_new and torch_table.is_always_contiguous(operation)


def _gives_fresh(operation: str) -> bool:
    """Whether the result of an operation is memory that nothing else refers to."""
    name = torch_effects.of_any(operation)
    is_new = torch_effects.is_fresh(name) and torch_effects.reads_only(name)
    return is_independent(operation) or is_new


def is_fresh(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression computes a tensor (or several) that nothing else refers to."""
    if isinstance(node, ast.BinOp):
        return facts.is_tensor(node)
    if not isinstance(node, ast.Call) or has_out(node):
        return False
    name = facts.name(node.func)
    if name is not None:
        module, _, function = name.rpartition(".")
        is_known = module in ("torch", "torch.nn.functional") and _gives_fresh(function)
        return is_known and not is_in_place(name, node)
    callee = facts.value(node.func)
    if isinstance(callee, Module) and callee.cls is not None:
        return is_fresh_of_layer(callee)
    return (
        isinstance(node.func, ast.Attribute)
        and is_method_result_fresh(node)
        and facts.is_tensor(node.func.value)
    )


def is_fresh_of_layer(layer: Module) -> bool:
    """Whether a layer of torch gives a tensor (or several) that nothing else refers to."""
    bare = (layer.cls or "").rpartition(".")[2]
    if torch_layers.may_work_in_place(bare):
        may_write = layer.call is None or may_be_in_place(layer.call)
        return not may_write and "Dropout" not in bare
    is_layer = bare in torch_api.LAYERS or bare in INDEPENDENT_LAYERS
    return (is_layer and bare != "PixelShuffle") or layer.cls in losses.LOSSES


def has_out(call: ast.Call) -> bool:
    """Whether the call may write into one of its arguments: ``out=``, ``inplace=True``."""
    return gives_out(call) or any(
        k.arg == "inplace" and not (isinstance(k.value, ast.Constant) and not k.value.value)
        for k in call.keywords
    )


def gives_out(call: ast.Call) -> bool:
    """Whether the call may write into another tensor than those that it calculates with."""
    return any(k.arg in (None, "out") for k in call.keywords)


def is_in_place(name: str, call: ast.Call) -> bool:
    """Whether ``inplace`` may be given by position: ``F.relu(x, True)``."""
    module, _, function = name.rpartition(".")
    before = BEFORE_INPLACE.get(function) if module == "torch.nn.functional" else None
    given = call.args[before:] if before is not None else []
    return any(not (isinstance(a, ast.Constant) and not a.value) for a in given)


def may_be_in_place(construction: ast.Call) -> bool:
    """Whether a layer that is made may write into what it is given: ``ReLU(True)``."""
    bare = construction.func.attr if isinstance(construction.func, ast.Attribute) else None
    allowed = 1 if bare is not None and "Dropout" in bare else 0
    return has_out(construction) or len(construction.args) > allowed
