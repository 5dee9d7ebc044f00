"""Which expressions are certainly a ``PackedSequence``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module

_RNN = "torch.nn.utils.rnn"
PACKED_SEQUENCE = f"{_RNN}.PackedSequence"
_PACKING = frozenset({PACKED_SEQUENCE, f"{_RNN}.pack_padded_sequence", f"{_RNN}.pack_sequence"})
#: What gives a packed sequence, and a state, for one.
_RECURRENT = frozenset({"torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU"})


def is_packed(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether an expression is certainly a ``PackedSequence``: what made it, or a test, says so."""
    if isinstance(node, ast.Call):
        return facts.name(node.func) in _PACKING
    if not isinstance(node, ast.Name) or depth > 3:
        return False
    if _is_asked(node, facts):
        return True
    bindings = facts.flow.reaching(node)
    return bool(bindings) and all(
        binding.kind == "assign"
        and binding.value is not None
        and (
            is_packed(binding.value, facts, depth + 1)
            if not binding.path
            else binding.path == (0,) and _gives_packed(binding.value, facts, depth + 1)
        )
        for binding in bindings
    )


def is_batch_sizes(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly the second part of a ``PackedSequence``."""
    if isinstance(node, ast.Attribute):
        return node.attr == "batch_sizes" and is_packed(node.value, facts)
    if isinstance(node, ast.Subscript):
        is_second = isinstance(node.slice, ast.Constant) and node.slice.value == 1
        return is_second and is_packed(node.value, facts)
    if not isinstance(node, ast.Name):
        return False
    bindings = facts.flow.reaching(node)
    return bool(bindings) and all(
        binding.kind == "assign"
        and binding.value is not None
        and (
            is_batch_sizes(binding.value, facts)
            if isinstance(binding.value, ast.Attribute) and not binding.path
            else binding.path == (1,) and is_packed(_all_of(binding.value), facts)
        )
        for binding in bindings
    )


def _all_of(parts: ast.expr) -> ast.expr:
    """``packed``, of ``packed[:2]`` as well."""
    if isinstance(parts, ast.Subscript) and ast.unparse(parts.slice) in (":2", "0:2"):
        return parts.value
    return parts


def _gives_packed(call: ast.expr, facts: Facts, depth: int) -> bool:
    """``outputs, state = self.rnn(packed)``."""
    if not isinstance(call, ast.Call) or not call.args:
        return False
    layer = facts.value(call.func)
    is_recurrent = isinstance(layer, Module) and layer.cls in _RECURRENT
    return is_recurrent and is_packed(call.args[0], facts, depth)


def _is_asked(use: ast.Name, facts: Facts) -> bool:
    """Whether a name is used under ``if isinstance(name, PackedSequence):``, or a flag for that."""
    below: ast.AST = use
    for around in facts.names.ancestors(use):
        if isinstance(around, ast.If) and below in around.body:
            if _tells_packed(around.test, use, facts):
                return True
        below = around
    return False


def _tells_packed(test: ast.expr, use: ast.Name, facts: Facts) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_tells_packed(part, use, facts) for part in test.values)
    if isinstance(test, ast.Name):
        bindings = facts.flow.reaching(test)
        value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
        is_flag = isinstance(value, ast.Call) and bindings[0].kind == "assign"
        return is_flag and value is not None and _tells_packed(value, use, facts)
    if not isinstance(test, ast.Call) or facts.names.builtin(test.func) != "isinstance":
        return False
    if len(test.args) != 2 or facts.name(test.args[1]) != PACKED_SEQUENCE:
        return False
    asked = test.args[0]
    return (
        isinstance(asked, ast.Name)
        and asked.id == use.id
        and facts.flow.reaching(asked) == facts.flow.reaching(use)
    )
