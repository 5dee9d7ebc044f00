"""What is cut from a tensor, and in which of its dimensions."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import argument, whole_number
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.record import record


@record
class Part:
    """A part of a tensor."""

    whole: ast.expr
    """The tensor that it is cut from."""
    ndim: int
    """The dimensions that it has by what is written; there may be more behind them."""


def cut_part(node: ast.expr, facts: Facts) -> Part | None:
    """What a part is cut from: ``x`` of ``x[:, ::2]``, and of ``a`` of ``a, b = x.chunk(2, 1)``.

    Args:
        node: the part, or a name for it.
        facts: the facts of the module.
    """
    if not isinstance(node, ast.Name):
        return _indexed(node, facts) if isinstance(node, ast.Subscript) else None
    bindings = facts.flow.reaching(node)
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
        return None
    if may_be_reshaped(facts.inference, node):
        return None
    binding, made = bindings[0], bindings[0].written()
    if isinstance(made, ast.Subscript):
        return _indexed(made, facts)
    if len(binding.path) != 1 or not isinstance(binding.value, ast.Call):
        return None
    return _divided(binding.value, facts)


def _indexed(node: ast.Subscript, facts: Facts) -> Part | None:
    named = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    kept = [each for each in named if isinstance(each, ast.Slice)]
    is_plain = all(each in kept or isinstance(facts.value(each), Number) for each in named)
    return Part(node.value, len(kept)) if is_plain else None


def _divided(node: ast.Call, facts: Facts) -> Part | None:
    """``x.chunk(2, 1)``, of which each part has a dimension 1, and those before it."""
    if not isinstance(node.func, ast.Attribute):
        return None
    whole, method = node.func.value, f"torch.Tensor.{node.func.attr}"
    if not torch_effects.does(method, "selects") or not torch_effects.gives_alias(method):
        return None
    dim = whole_number(argument(node, 1, "dim"))
    if dim is None or dim < 0 or not facts.is_tensor(whole):
        return None
    return Part(whole, dim + 1)
