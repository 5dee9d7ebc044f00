"""What lays a tensor out anew: the same elements, in another shape or place."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, TensorType, Unknown

PASSING_ATTRIBUTES = frozenset({"data", "T"})


def passes(method: str) -> bool:
    """Whether a method may stand between a mask and its place: the same truths, laid out anew."""
    return torch_effects.hands_on(method) and torch_effects.reads_only(method)


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


def is_cast_to_type(facts: Facts, node: ast.expr, kind: str) -> bool:
    """Whether an expression is ``x.type(torch.ByteTensor)`` of a tensor that nothing else shows.

    Arrays have no such method. Modules have one: what is used as a mask is none.

    Args:
        facts: the facts of the module.
        node: any expression.
        kind: the name of the type, on whatever device.
    """
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr != "type" or len(node.args) != 1 or node.keywords:
        return False
    asked, receiver = facts.value(node.args[0]), facts.value(node.func.value)
    is_asked = isinstance(asked, TensorType) and asked.name == kind
    return is_asked and isinstance(receiver, Unknown) and not defines_method(facts.names, "type")
