"""Calls that make tensors, rewritten with libcst."""

from __future__ import annotations

import libcst as cst


def calls_in_chain(node: cst.Call, count: int) -> list[cst.Call] | None:
    """The last ``count`` calls of ``x.a().b()``, innermost first; None where there are fewer."""
    calls = [node]
    while len(calls) < count:
        function = calls[0].func
        if not (isinstance(function, cst.Attribute) and isinstance(function.value, cst.Call)):
            return None
        calls.insert(0, function.value)
    return calls


def packed(args: list[cst.Arg]) -> cst.Arg:
    """Sizes one by one as one argument: ``(n, m)``."""
    elements: list[cst.BaseElement] = []
    for arg in args:
        is_last = arg is args[-1]
        comma = arg.comma
        if is_last:
            comma = cst.Comma() if len(args) == 1 else cst.MaybeSentinel.DEFAULT
        make = cst.StarredElement if arg.star else cst.Element
        elements.append(make(arg.value, comma=comma))
    return cst.Arg(cst.Tuple(elements))


def with_floats(node: cst.BaseExpression) -> cst.BaseExpression:
    """A number, or a list of numbers, with ``1.0`` for each ``1``."""
    if isinstance(node, cst.Integer):
        text = node.value if node.value.isdecimal() else str(node.evaluated_value)
        return cst.Float(f"{text}.0", lpar=node.lpar, rpar=node.rpar)
    if isinstance(node, cst.UnaryOperation):
        return node.with_changes(expression=with_floats(node.expression))
    if isinstance(node, (cst.List, cst.Tuple)):
        elements = [e.with_changes(value=with_floats(e.value)) for e in node.elements]
        return node.with_changes(elements=elements)
    return node
