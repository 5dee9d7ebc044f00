"""Whether what `resize` gives is what `reshape` gives."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.proofs import is_minus_one
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import is_int
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.tensors.questions.shared_memory import may_share_unnoticed


def has_sizes(call: ast.Call, facts: Facts) -> bool:
    """Whether ``resize`` gets sizes one by one, or ``resize_as`` a tensor: all that runs today.

    What stands beside another size is one: it multiplies them, and refuses a tuple and -1.
    """
    assert isinstance(call.func, ast.Attribute)
    if call.keywords or not call.args:
        return False
    if call.func.attr == "resize_as":
        return len(call.args) == 1 and facts.is_tensor(call.args[0])
    if any(map(is_minus_one, call.args)):
        return False
    is_beside = len(call.args) > 1
    return all(_is_size(size, is_beside, facts) for size in call.args)


def _is_size(given: ast.expr, is_beside: bool, facts: Facts) -> bool:
    if isinstance(given, ast.Starred):
        return False
    return is_int(facts, given) or (is_beside and isinstance(facts.value(given), Unknown))


def is_same_view(call: ast.Call, source: ast.expr, facts: Facts) -> bool:
    """Whether ``reshape`` shares memory where ``resize`` does, or it cannot matter."""
    value = facts.value(source)
    if isinstance(value, Tensor) and value.contiguous and value.grad is False:
        return True
    return not may_share_unnoticed(call, source, facts)
