"""Tensors that show themselves by the ``.data`` of what is made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects


def is_mask_with_data(names: Names, compared: ast.Call) -> bool:
    """Whether ``.data`` is asked of a comparison: ``y.ne(0).data``.

    A series of pandas compares by such methods as well, but nobody asks for its memory.
    """
    method = compared.func
    is_one = isinstance(method, ast.Attribute) and torch_effects.compares(method.attr)
    is_of_other = len(compared.args) == 1 and not compared.keywords and not is_opaque(compared)
    return is_one and is_of_other and is_asked_for_data(names, compared)


def are_places_with_data(
    names: Names, bindings: Iterable[Binding], uses: Iterable[ast.Name]
) -> bool:
    """Whether ``.data`` is asked of the places of a maximum: ``p = x.max(1)[1]``, then ``p.data``.

    Of what an array gives there, numbers or a row, nobody asks for the memory.

    Args:
        names: the names of the file.
        bindings: what gives a name its value.
        uses: the reads of that name.
    """
    found = [*bindings]
    return (
        bool(found)
        and all(_gives_places(names, each) for each in found)
        and any(is_asked_for_data(names, use) for use in uses)
    )


def _gives_places(names: Names, binding: Binding) -> bool:
    """``p = x.max(1)[1]`` and ``_, p = x.topk(5)``."""
    value, place = binding.value, binding.path
    if binding.kind != "assign":
        return False
    if isinstance(value, ast.Subscript) and not place:
        index = whole_number(value.slice)
        value, place = value.value, () if index is None else (index,)
    method = value.func if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or not isinstance(method, ast.Attribute) or place != (1,):
        return False
    if names.name(method) is not None or is_opaque(value):
        return False
    # ``x.max(y)`` of two tensors gives one of their size.
    dim = argument(value, 0, "dim")
    is_along = dim is not None and whole_number(dim) is not None
    is_users = method.attr in method_names(names) or names.is_method_of_project(method.attr)
    return is_along and torch_effects.gives_indices(method.attr) and not is_users


def is_asked_for_data(names: Names, node: ast.expr) -> bool:
    """Whether ``.data`` is read of an expression."""
    parent = names.parents.get(node)
    is_data = isinstance(parent, ast.Attribute) and parent.attr == "data"
    return is_data and isinstance(getattr(parent, "ctx", None), ast.Load)
