"""Whether new tensors have another type or device than torch gives them by itself."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts

#: Methods that convert to whole numbers: what was cut off by them does not matter.
WHOLE = frozenset({"long", "int"})
#: Methods that hand on what a tensor holds, in another shape.
_MOVING = frozenset("view reshape unsqueeze squeeze expand repeat t transpose contiguous".split())
_CONVERTING = WHOLE | frozenset(
    "float double half byte bool short char type type_as to copy_".split()
)


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


def is_converted(call: ast.expr, facts: Facts, methods: frozenset[str] = _CONVERTING) -> bool:
    """``torch.range(0, 3).view(1, 3).long()``: the dtype of the range itself does not matter."""
    method = facts.parent(call)
    if isinstance(method, ast.Call):
        return "copy_" in methods and _copies(method, call)
    outer = None if method is None else facts.parent(method)
    if not (isinstance(method, ast.Attribute) and isinstance(outer, ast.Call)):
        return False
    if outer.func is not method:
        return False
    if method.attr in _MOVING:
        return is_converted(outer, facts, methods)
    takes = ("type", "type_as", "to")
    return method.attr in methods and (method.attr in takes or not outer.args)


def _copies(call: ast.Call, source: ast.expr) -> bool:
    """``x.copy_(source)``, which converts to what ``x`` is of."""
    function = call.func
    is_copy = isinstance(function, ast.Attribute) and function.attr == "copy_"
    return is_copy and source in call.args[:1]
