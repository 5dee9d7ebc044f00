"""Tensors that torch fills with indices: `torch.topk(x, k, out=(values, indices))`."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts

_RESTS = frozenset({"fmod_", "remainder_"})


def is_filled_with_indices(facts: Facts, node: ast.expr) -> bool:
    """Whether a statement above, in the same block, has torch write indices into a tensor.

    Torch writes them into tensors of int64 alone.
    """
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    statement, text = facts.statement(node), ast.unparse(node)
    block = facts.block(statement)
    for above in reversed(block[: block.index(statement)]):
        is_plain = isinstance(above, ast.Expr)
        if is_plain and any(_fills(facts, call, text) for call in walk(above)):
            return True
        if _may_bind(above, node, text):
            return False
    return False


def leaves_rest(facts: Facts, dividend: ast.expr, divisor: ast.expr) -> bool:
    """Whether the rest takes the place of what was divided: ``ids.fmod_(n)`` below."""
    statement = facts.statement(dividend)
    block = facts.block(statement)
    text = f"{ast.unparse(dividend)}.{{}}({ast.unparse(divisor)})"
    rests = {text.format(method) for method in _RESTS}
    below = block[block.index(statement) + 1 :]
    return any(isinstance(s, ast.Expr) and ast.unparse(s.value) in rests for s in below)


def _fills(facts: Facts, call: ast.AST, text: str) -> bool:
    if not isinstance(call, ast.Call):
        return False
    name = facts.name(call.func) or ""
    if not name.startswith("torch.") or not torch_effects.gives_indices(name):
        return False
    outs = [keyword.value for keyword in call.keywords if keyword.arg == "out"]
    return any(
        isinstance(out, (ast.Tuple, ast.List))
        and len(out.elts) == 2
        and ast.unparse(out.elts[1]) == text
        for out in outs
    )


def _may_bind(statement: ast.stmt, node: ast.expr, text: str) -> bool:
    """Whether a statement may give a name or an attribute another tensor."""
    owner = ast.unparse(node.value) if isinstance(node, ast.Attribute) else None
    return any(
        ast.unparse(part) == text
        if isinstance(getattr(part, "ctx", None), ast.Store)
        else owner is not None and isinstance(part, ast.Call) and _is_method_of(part, owner)
        for part in walk(statement)
    )


def _is_method_of(call: ast.Call, owner: str) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == owner
