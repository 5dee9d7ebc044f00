"""Whether code counts on how a tensor lies in memory: by its strides, or by an address."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts

_LAYOUT = ("stride", "storage_offset", "storage", "data_ptr")


def is_layout_read(facts: Facts, tensor: ast.expr) -> bool:
    """Whether the function around reads the strides or the address of a tensor.

    ``stride = x.stride()`` beside ``x.view(-1).gather(0, i * stride[0])``: what is laid out anew is
    not where the strides say, and ``view``, which raises then, is right to do so.
    """
    while isinstance(tensor, (ast.Attribute, ast.Call, ast.Subscript)):
        tensor = tensor.func if isinstance(tensor, ast.Call) else tensor.value
    name = tensor if isinstance(tensor, ast.Name) else None
    found = None if name is None else facts.names.scope_of(name).lookup(name.id)
    if name is None or found is None:
        return False
    return any(
        isinstance(parent := facts.parent(use), ast.Attribute) and parent.attr in _LAYOUT
        for use in facts.names.uses_of(found[0], name.id)
    )
