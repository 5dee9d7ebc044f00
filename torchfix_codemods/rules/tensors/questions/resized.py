"""Whether what `resize` gives is what `reshape` gives."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.proofs import is_minus_one
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import is_int
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.tensors.questions.shared_memory import may_share_unnoticed


def has_sizes(call: ast.Call, facts: Facts) -> bool:
    """Whether ``resize`` gets sizes one by one, or ``resize_as`` a tensor: all that runs today."""
    assert isinstance(call.func, ast.Attribute)
    if call.keywords or not call.args:
        return False
    if call.func.attr == "resize_as":
        return len(call.args) == 1 and facts.is_tensor(call.args[0])
    return all(is_int(facts, size) and not is_minus_one(size) for size in call.args)


def is_same_view(call: ast.Call, source: ast.expr, facts: Facts) -> bool:
    """Whether ``reshape`` shares memory where ``resize`` does, or it cannot matter."""
    value = facts.value(source)
    if isinstance(value, Tensor) and value.contiguous and value.grad is False:
        return True
    return not may_share_unnoticed(call, source, facts)
