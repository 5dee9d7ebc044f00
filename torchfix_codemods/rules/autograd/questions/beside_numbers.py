"""What is asked as others are which hold one number, or put where numbers are."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.tensors.called_numbers import gives_number
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Array, Mapping, Sequence, Unknown


def stands_beside_number(facts: Facts, node: ast.Subscript, core: ast.expr) -> bool:
    """Whether the same function asks another attribute of the object for its one number.

    Args:
        facts: the facts of the module.
        node: ``self.loss.data[0]``.
        core: ``self.loss`` of it.
    """
    function = facts.names.enclosing_function(node)
    if function is None or not isinstance(core, ast.Attribute):
        return False
    return any(
        other is not node and _asks_for_number(other, core, facts)
        for kind in (ast.Subscript, ast.Call)
        for other in facts.names.inside(function, kind)
    )


def _asks_for_number(other: ast.AST, core: ast.Attribute, facts: Facts) -> bool:
    """``self.other.data[0]`` of one number, or ``self.other.item()``."""
    if isinstance(other, ast.Subscript):
        tensor, around = unwrapped(other.value)
        is_asked = "data" in around and indexed_scalar(facts, other) == "number"
    elif isinstance(other, ast.Call) and isinstance(other.func, ast.Attribute):
        tensor, is_asked = other.func.value, other.func.attr == "item"
    else:
        return False
    is_beside = isinstance(tensor, ast.Attribute) and same_expression(tensor.value, core.value)
    return is_beside and is_asked


def is_handed_beside_item(facts: Facts, node: ast.Subscript) -> bool:
    """Whether the same function hands on an item of the same object, by a method of that name.

    ``meter.add(state["output"][2].data[0])`` beside ``total.add(state["loss"].data[0])``.
    """
    function, method = facts.names.enclosing_function(node), _method_taking(facts, node)
    if function is None or method is None:
        return False
    return any(
        _method_taking(facts, other) == method and _is_item_of_same(other, node)
        for other in facts.names.inside(function, ast.Subscript)
        if other is not node and same_expression(other.slice, node.slice)
    )


def _is_item_of_same(other: ast.Subscript, node: ast.Subscript) -> bool:
    item, inner = unwrapped(other.value)[0], unwrapped(node.value)[0]
    while isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Subscript):
        inner = inner.value
    if not isinstance(item, ast.Subscript) or not isinstance(inner, ast.Subscript):
        return False
    return same_expression(item.value, inner.value)


def _method_taking(facts: Facts, node: ast.Subscript) -> str | None:
    """``add`` of ``meter.add(x.data[0])``, which gets nothing else."""
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or values_given(call) != [node]:
        return None
    return call.func.attr if isinstance(call.func, ast.Attribute) else None


def is_of_listed(facts: Facts, node: ast.Subscript) -> bool:
    """``losses[i][0]`` of ``losses.append(total / n)``, which raises since torch 0.5."""
    if not isinstance(node.value, ast.Subscript) or constant(node.slice) != 0:
        return False
    if isinstance(facts.parent(node), (ast.Attribute, ast.Subscript)):
        return False
    is_list = isinstance(facts.value(node.value.value), (Sequence, Unknown))
    return is_list and is_put_in_as_number(facts, node.value)


def is_put_in_as_number(facts: Facts, core: ast.expr) -> bool:
    """Whether an element of a list is one number by what is put in, as far as is written down.

    ``losses[i]`` of ``losses.append(total / n)``, and ``x`` of ``for x in [y.sum() for y in ys]``.
    """
    if isinstance(core, ast.Name):
        bindings = facts.flow.reaching(core)
        if not bindings or any(binding.kind != "for" for binding in bindings):
            return False
    elif not isinstance(core, ast.Subscript) or isinstance(constant(core.slice), str):
        return False
    start = Place(facts, core)
    return (
        found_behind([start], _before_number) is not None
        and found_behind([start], _before_container) is None
    )


def _before_number(place: Place) -> list[Place] | None:
    is_number = not place.content and gives_number(place.facts, place.node)
    return None if is_number else behind(place)


def _before_container(place: Place) -> list[Place] | None:
    value = place.facts.value(place.node)
    is_of_parts = not place.content and isinstance(value, (Array, Mapping, Sequence))
    return None if is_of_parts else behind(place)
