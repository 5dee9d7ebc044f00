"""The largest that is subtracted before a softmax, along the dimension that is meant."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of, source_of
from torchfix_codemods.rules.losses.questions.tested_dimensions import is_same


def largest_subtracted(facts: Facts, tensor: ast.expr | None) -> tuple[ast.Call, int] | None:
    """The call that takes the largest of what a softmax is given, which is subtracted from it.

    Args:
        facts: the facts of the module.
        tensor: ``x - x.max(1, keepdim=True)[0]``, also by names; None of a layer.

    Returns:
        the call and the dimension, 1 or -1; None of any other.
    """
    made = None if tensor is None else source_of(facts, tensor)
    if not isinstance(made, ast.BinOp) or not isinstance(made.op, ast.Sub):
        return None
    largest = source_of(facts, made.right)
    if not isinstance(largest, ast.Subscript) or whole_number(largest.slice) != 0:
        return None
    call = largest.value
    found = operated(facts, call) if isinstance(call, ast.Call) else None
    if found is None or not isinstance(call, ast.Call) or function_of(call) != "max":
        return None
    _, given, rest = found
    named = argument(rest, 0, "dim")
    dim = None if named is None else whole_number(named)
    if dim not in (1, -1) or dim is None or not isinstance(given, ast.Name):
        return None
    if not isinstance(made.left, ast.Name):
        return None
    first, last = sorted((given, made.left), key=lambda name: (name.lineno, name.col_offset))
    return (call, dim) if is_same(facts, first, last) else None
