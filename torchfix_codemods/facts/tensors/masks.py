"""Masks of torch: where one is wanted, which expressions are one, and where one goes."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import argument, constant, is_one, is_opaque
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.attention import attention_masks
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Number, Tensor, Unknown

Place = Literal["masked", "stored", "read"]
"""Where a mask is wanted, and what today's torch does with one of uint8 there.

"masked": ``x.masked_fill(mask, 0)`` and the like fail; before 1.2 they took zeros and ones only.
"stored": ``x[mask] = 0`` fails. "read": ``x[mask]``, ``torch.where(mask, x, y)`` only warn.
"""

MASKED = torch_table.methods_taking("mask")

PASSING_ATTRIBUTES = frozenset({"data", "T"})

READING_FUNCTIONS = frozenset({"sum", "nonzero", "any", "all"})

_WHOLE = frozenset({"torch.zeros", "torch.ones", "torch.eye", "torch.bernoulli"})
_TRIANGLE = frozenset({"torch.triu", "torch.tril"})


def place_of(facts: Facts, node: ast.expr) -> Place | None:
    """The kind of place that ``node`` stands at, where that is certainly one for a mask."""
    parent = facts.parent(node)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, ast.Call):
        return _place_in_call(facts, parent, node)
    if isinstance(parent, ast.Tuple) and isinstance(facts.parent(parent), ast.Subscript):
        node, parent = parent, facts.parent(parent)
    if not (isinstance(parent, ast.Subscript) and parent.slice is node):
        return None
    if not facts.is_shown_tensor(parent.value):
        return None
    return "stored" if _stores_number(facts, parent) else "read"


def _place_in_call(facts: Facts, call: ast.Call, node: ast.expr) -> Place | None:
    if is_opaque(call):
        return None
    if node in attention_masks(facts, call):
        return "masked"
    name = facts.name(call.func)
    if name is not None:
        module, _, function = name.rpartition(".")
        if module != "torch":
            return None
        if function in MASKED and argument(call, 1, "mask") is node:
            return "masked"
        wants = function == "where" and len(call.args) == 3 and call.args[0] is node
        return "read" if wants else None
    method = call.func
    if not isinstance(method, ast.Attribute) or not facts.is_shown_tensor(method.value):
        return None
    if method.attr in MASKED and argument(call, 0, "mask") is node:
        return "masked"
    wants = method.attr == "where" and len(call.args) == 2 and call.args[0] is node
    return "read" if wants else None


def _stores_number(facts: Facts, item: ast.Subscript) -> bool:
    """``x[mask] = 0``: one number for all, which today's torch fills in by ``masked_fill_``."""
    statement = facts.parent(item)
    if not (isinstance(statement, ast.Assign) and isinstance(item.ctx, ast.Store)):
        return False
    value = facts.value(statement.value)
    return isinstance(value, Number) or (isinstance(value, Tensor) and value.single)


def passes(method: str) -> bool:
    """Whether a method may stand between a mask and its place: the same truths, laid out anew."""
    return torch_effects.hands_on(method) and torch_effects.reads_only(method)


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


def core_of(node: ast.expr) -> ast.expr:
    """The mask below ``.unsqueeze(1)``, ``.expand_as(x)``, ``[:, None]`` and the like."""
    while True:
        if isinstance(node, ast.Subscript) and _is_layout(node.slice):
            node = node.value
            continue
        inner = node.func if isinstance(node, ast.Call) else node
        if not isinstance(inner, ast.Attribute):
            return node
        is_passed = inner.attr in PASSING_ATTRIBUTES if inner is node else passes(inner.attr)
        if not is_passed:
            return node
        node = inner.value


def whole_of(node: ast.expr) -> ast.expr:
    """What a mask is in another layout or a part of: ``mask`` of ``mask[i, :].view(-1, 1)``."""
    core = core_of(node)
    while isinstance(core, ast.Subscript):
        core = core_of(core.value)
    return core


def _is_layout(index: ast.expr) -> bool:
    """Whether an index adds dimensions, and takes none away: ``[:, None]``, ``[..., None]``."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    is_new = [constant(part) is None for part in parts]
    return any(is_new) and all(
        new
        or (isinstance(part, ast.Constant) and part.value is ...)
        or (isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step))
        for new, part in zip(is_new, parts, strict=True)
    )


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
        return inverted(core) is not None and is_uint8(facts, operand_of(core))
    if isinstance(core, ast.Name) and not isinstance(value, Tensor):
        bindings = facts.flow.reaching(core)
        return bool(bindings) and all(
            b.kind == "assign" and not b.path and b.value is not None and is_byte(facts, b.value)
            for b in bindings
        )
    return is_byte(facts, core)


def is_byte(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is ``x.byte()`` of a tensor."""
    return is_cast(facts, node, "byte")


def is_cast(facts: Facts, node: ast.expr, method: str) -> bool:
    """Whether an expression is ``x.bool()`` or the like of a tensor, which arrays do not have."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr != method or node.args or node.keywords:
        return False
    receiver = facts.value(node.func.value)
    return isinstance(receiver, Tensor) or (
        isinstance(receiver, Unknown) and not defines_method(facts.names, method)
    )


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


def holds_zeros_and_ones(facts: Facts, node: ast.expr) -> bool:
    """Whether what is a tensor certainly holds nothing but 0 and 1, so that all casts agree."""
    if is_bool(facts, node):
        return True
    core = core_of(node)
    if is_comparison(facts, core):
        return True
    if isinstance(core, ast.Call):
        name = facts.name(core.func)
        if name in _TRIANGLE and core.args:
            return holds_zeros_and_ones(facts, core.args[0])
        if name in _WHOLE:
            return True
        return is_byte(facts, core) and holds_zeros_and_ones(facts, _receiver(core))
    if isinstance(core, ast.Name):
        # What has a name may be written into.
        return False
    return inverted(core) == "1 - x" and holds_zeros_and_ones(facts, operand_of(core))


def _receiver(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value
