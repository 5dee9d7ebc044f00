"""Which expressions are masks: tensors of bool, of uint8, of nothing but 0 and 1."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.language.arguments import is_one
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_written_into
from torchfix_codemods.facts.tensors.layouts import core_of, is_cast, is_cast_to_type
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown

READING_FUNCTIONS = frozenset({"sum", "nonzero", "any", "all"})

_WHOLE = frozenset({"torch.zeros", "torch.ones", "torch.eye", "torch.bernoulli"})
_TRIANGLE = frozenset({"torch.triu", "torch.tril"})
#: https://docs.allennlp.org/main/api/nn/util/: 0 where tokens are padding, 1 elsewhere.
_LIBRARY_MASKS = frozenset(
    f"allennlp.nn.util.{name}" for name in ("get_text_field_mask", "get_mask_from_sequence_lengths")
)
#: Through so many names and casts a mask is followed.
_MOST_NAMES = 8


def tells_of_mask(method: str) -> bool:
    """Whether a method counts a mask, casts it, or tells about it: the same for bool and uint8."""
    return (
        method in READING_FUNCTIONS
        or torch_effects.compares(method)
        or torch_effects.is_cast(method)
        or torch_effects.tells(method)
    )


def tells_truth(method: str) -> bool:
    """Whether a method tells the same of a mask of 1 and of one of 2."""
    return method in ("bool", "nonzero", "any", "all") or torch_effects.tells(method)


def is_bool(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a tensor of bool."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "bool"
    return is_cast(facts, core_of(node), "bool")


#: Layers that give real numbers only; what pads or shuffles may do so with a mask.
_REAL_LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in torch_api.LAYERS
    if "Pad" not in name and name not in ("PixelShuffle", "Upsample", "UpsamplingNearest2d")
)

#: Functions that give real numbers only, whatever they are given.
_REAL_FUNCTIONS = frozenset(
    f"torch{module}.{name}"
    for module in ("", ".nn.functional")
    for name in "softmax log_softmax sigmoid tanh relu linear conv1d conv2d conv3d".split()
)


def is_array_of_mask(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is certainly what ``.numpy()`` gives of a tensor of bool."""
    if isinstance(node, ast.Name) and depth < 4:
        values = facts.assigned(node) or []
        return bool(values) and all(is_array_of_mask(facts, value, depth + 1) for value in values)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return node.func.attr == "numpy" and not node.args and is_bool(facts, node.func.value)


def is_no_mask(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether a tensor is certainly none of bool: what a layer gave, or what is computed of it."""
    core = core_of(node)
    value = facts.value(core)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype not in ("bool", "uint8")
    if depth > 8:
        return False
    if isinstance(core, ast.Name):
        values = facts.assigned(core) or []
        return bool(values) and all(is_no_mask(facts, value, depth + 1) for value in values)
    if isinstance(core, ast.BinOp) and isinstance(core.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return is_no_mask(facts, core.left, depth + 1) or is_no_mask(facts, core.right, depth + 1)
    if not isinstance(core, ast.Call):
        return False
    if facts.name(core.func) is not None:
        return facts.name(core.func) in _REAL_FUNCTIONS
    module = facts.value(core.func)
    return isinstance(module, Module) and _gives_no_mask(facts, module, depth + 1)


def _gives_no_mask(facts: Facts, module: Module, depth: int) -> bool:
    if module.definition is not None:
        forward = facts.classes.method(module.definition, "forward")
        if forward is None or facts.classes.is_wrapped(forward):
            return False
        results = [n.value for n in own_nodes(forward) if isinstance(n, ast.Return)]
        return bool(results) and all(
            result is not None and is_no_mask(facts, result, depth) for result in results
        )
    if module.cls == "torch.nn.Sequential" and module.call is not None and module.call.args:
        last = facts.value(module.call.args[-1])
        return isinstance(last, Module) and _gives_no_mask(facts, last, depth + 1)
    return module.cls in _REAL_LAYERS


def is_comparison(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression, if it is a tensor, is one of bool: ``a == b``, ``a.eq(b)``."""
    core = core_of(node)
    if isinstance(core, ast.Name):
        bindings = facts.flow.reaching(core)
        return bool(bindings) and all(
            b.kind == "assign"
            and not b.path
            and b.value is not None
            and not isinstance(core_of(b.value), ast.Name)
            and is_comparison(facts, b.value)
            for b in bindings
        )
    if isinstance(core, ast.Compare):
        identity = isinstance(core.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
        return len(core.ops) == 1 and not identity
    method = core.func if isinstance(core, ast.Call) else None
    return isinstance(method, ast.Attribute) and torch_effects.compares(method.attr)


def is_uint8(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a tensor of uint8."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "uint8"
    core = core_of(node)
    if isinstance(core, ast.BinOp):
        is_inverted = inverted(core) is not None and is_uint8(facts, operand_of(core))
        return is_inverted or is_joined_bytes(facts, core)
    if isinstance(core, ast.Name):
        bindings = facts.flow.reaching(core)
        is_tensor = isinstance(value, Tensor)
        return bool(bindings) and all(
            b.kind == "assign"
            and not b.path
            and b.value is not None
            and (is_joined_bytes(facts, b.value) if is_tensor else _is_cast_to_byte(facts, b.value))
            for b in bindings
        )
    return _is_cast_to_byte(facts, core)


def _is_cast_to_byte(facts: Facts, node: ast.expr) -> bool:
    return is_byte(facts, node) or is_cast_to_type(facts, node, "ByteTensor")


def holds_integers(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor is certainly of whole numbers other than bytes."""
    value = facts.value(node)
    return isinstance(value, Tensor) and value.dtype in ("int64", "int32", "int16", "int8")


def may_be_uint8(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor can be the uint8 that ``masked_fill`` and the like once asked for."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "uint8"
    return isinstance(value, (Tensor, Unknown))


def is_joined_bytes(facts: Facts, node: ast.expr) -> bool:
    """Whether bytes of 0 and 1 are joined by ``&`` to another mask: only 0 and 1 come of it.

    Also where ``~`` turned the bits of the other one: ``accepted.byte() & ~done``.
    """
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)):
        return False
    masks = [
        side.operand if inverted(side) == "~x" and isinstance(side, ast.UnaryOp) else side
        for side in (node.left, node.right)
    ]
    return all(is_uint8(facts, mask) or is_bool(facts, mask) for mask in masks) and any(
        is_uint8(facts, side) and holds_zeros_and_ones(facts, side)
        for side in (node.left, node.right)
        if side in masks
    )


def is_byte(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is ``x.byte()`` of a tensor."""
    return is_cast(facts, node, "byte")


def inverted(node: ast.expr) -> Literal["1 - x", "x ^ 1", "~x"] | None:
    """How an expression turns a mask around; None where it does not."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return "~x"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and is_one(node.left):
        return "1 - x"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor) and is_one(node.right):
        return "x ^ 1"
    return None


def operand_of(node: ast.expr) -> ast.expr:
    """The mask that :func:`inverted` found to be turned around."""
    if isinstance(node, ast.UnaryOp):
        return node.operand
    assert isinstance(node, ast.BinOp)
    return node.right if isinstance(node.op, ast.Sub) else node.left


def holds_zeros_and_ones(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether what is a tensor certainly holds nothing but 0 and 1, so that all casts agree."""
    if is_bool(facts, node):
        return True
    core = core_of(node)
    if depth > _MOST_NAMES:
        return False
    if is_comparison(facts, core):
        return True
    if isinstance(core, ast.Call):
        name = facts.name(core.func)
        if name in _TRIANGLE and core.args:
            return holds_zeros_and_ones(facts, core.args[0], depth + 1)
        if name in _WHOLE or name in _LIBRARY_MASKS:
            return True
        return _is_cast(facts, core) and holds_zeros_and_ones(facts, _receiver(core), depth + 1)
    if isinstance(core, ast.Name):
        given = facts.assigned(core) or []
        return bool(given) and all(
            holds_zeros_and_ones(facts, each, depth + 1) and not is_written_into(facts, each)
            for each in given
        )
    is_less = inverted(core) == "1 - x"
    return is_less and holds_zeros_and_ones(facts, operand_of(core), depth + 1)


def _is_cast(facts: Facts, call: ast.Call) -> bool:
    """Whether a method gives the same numbers in another dtype: ``mask.float()``."""
    method = call.func
    is_method = isinstance(method, ast.Attribute) and torch_effects.is_cast(method.attr)
    return is_method and facts.name(method) is None


def _receiver(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value
