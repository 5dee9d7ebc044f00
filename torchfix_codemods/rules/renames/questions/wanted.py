"""What is wanted of the result of a call."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import Call
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.defaults import is_converted, may_change_default_type
from torchfix_codemods.facts.tensors.integers import is_no_int, is_used_as_index


def is_unchanged(row: Call, call: ast.Call, facts: Facts) -> bool:
    """Whether what is done with a result makes it the same, whichever form gives it."""
    return (
        (row.dtype_only and _may_want_its_dtype(call, facts))
        or (row.used and not _is_used(call, facts))
        or (row.unless_converted and is_converted(call, facts))
    )


def _may_want_its_dtype(call: ast.Call, facts: Facts) -> bool:
    """Whether a result is converted at once, or used as what only whole numbers can be.

    Of floats, ``torch.arange(0, 1, 0.1)``, ``torch.arange(n + 0.1)``, it has the dtype that it had.
    """
    return (
        any(is_no_int(facts, argument) for argument in values_given(call))
        or is_converted(call, facts, is_whole=facts.name(call.func) == "torch.arange")
        or is_used_as_index(facts, call)
        or may_change_default_type(facts)
    )


def _is_used(call: ast.Call, facts: Facts) -> bool:
    """Whether somebody reads a result before it is made a number of Python."""
    user = facts.parent(call)
    if isinstance(user, ast.Call) and facts.names.builtin(user.func) in ("float", "int"):
        return False
    return not (isinstance(user, ast.Expr) or getattr(user, "attr", "") == "item")
