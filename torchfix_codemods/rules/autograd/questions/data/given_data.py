"""``.data`` that functions are given: ``accuracy(output.data, target.data)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, Unknown


def is_given_like(node: ast.Attribute, staying: Iterable[ast.Attribute], facts: Facts) -> bool:
    """Whether a function is given ``x.data`` beside another that stays, or it stays elsewhere.

    Who reads ``accuracy(output, target.data)`` looks for a reason.

    Args:
        node: the attribute.
        staying: the ``.data`` of the same function that stay as they are.
        facts: the facts of the module.
    """
    call = _call_given(node, facts)
    if call is None:
        return False
    text = ast.unparse(node)
    for other in staying:
        beside = _call_given(other, facts)
        if beside is None or other is node:
            continue
        # What is certainly no tensor is another thing.
        is_tensor = isinstance(facts.value(other.value), (Tensor, Unknown))
        if is_tensor and (beside is call or ast.unparse(other) == text):
            return True
    return False


def is_part_of_given(tensor: ast.expr, staying: Iterable[ast.Attribute], facts: Facts) -> bool:
    """Whether a function is given the ``.data`` of ``layer.weight``, for a tensor ``layer.bias``.

    Or for that of another layer on which the same method is called, as on ``layer.bias.data``.

    Args:
        tensor: the tensor.
        staying: the ``.data`` of the same function that stay as they are.
        facts: the facts of the module.
    """
    if not isinstance(tensor, ast.Attribute):
        return False
    given = (each.value for each in staying if _call_given(each, facts) is not None)
    layers = {ast.unparse(g.value) for g in given if isinstance(g, ast.Attribute)}
    if not layers or ast.unparse(tensor.value) in layers:
        return bool(layers)
    function, method = facts.names.enclosing_function(tensor), _method_on_data(tensor, facts)
    return method is not None and any(
        isinstance(other.value, ast.Attribute)
        and facts.names.enclosing_function(other) is function
        and _method_on_data(other.value, facts) == method
        and ast.unparse(other.value.value) in layers
        for other in facts.names.attributes("data")
    )


def _method_on_data(tensor: ast.expr, facts: Facts) -> str | None:
    """``fill_`` of ``layer.bias.data.fill_(0)``."""
    data = facts.parent(tensor)
    method = None if data is None else facts.parent(data)
    return method.attr if isinstance(method, ast.Attribute) else None


def _call_given(node: ast.Attribute, facts: Facts) -> ast.Call | None:
    """The call of a function, no method of a tensor, of which it is an argument as it stands."""
    around = facts.parent(node)
    if not isinstance(around, ast.Call) or node not in around.args:
        return None
    function = around.func
    of_tensor = isinstance(function, ast.Attribute) and facts.is_tensor(function.value)
    return None if of_tensor else around
