"""Whether new tensors have another type or device than torch gives them by itself."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts


def may_change_default_type(facts: Facts) -> bool:
    """Whether the project says that new tensors are of another type than ``float32``."""
    return any(
        facts.is_mentioned(word) for word in ("set_default_tensor_type", "set_default_dtype")
    )


def may_change_default_device(facts: Facts) -> bool:
    """Whether the project says that ``torch.empty(2)`` is not to be on the CPU."""
    return facts.is_mentioned("set_default_device") or any(
        isinstance(item.context_expr, ast.Call)
        and facts.name(item.context_expr.func) == "torch.device"
        for statement in facts.names.nodes.get(ast.With, ())
        if isinstance(statement, ast.With)
        for item in statement.items
    )
