"""What a class of a tree of fissix holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols


def methods_of(node: Any) -> dict[str, Any]:
    """The methods that a class defines, by their names.

    Args:
        node: the class.
    """
    return {
        each.children[1].value: each
        for each in _statements(node)
        if each.type == python_symbols.funcdef
    }


def names_bound(node: Any) -> set[str]:
    """The methods of a class, and what it gives a name as a whole: ``__str__ = __repr__``.

    Args:
        node: the class.
    """
    names = {*methods_of(node)}
    for each in _statements(node):
        if each.type == python_symbols.simple_stmt and "=" in str(each):
            names.update(part.strip() for part in str(each).split("=")[:-1])
    return names


def rename_method(node: Any, old: str, new: str) -> None:
    """Give a method of a class another name, and what asks for it there; not in classes below.

    Args:
        node: the class.
        old: the name.
        new: the other one.
    """
    for child in node.children:
        if child.type == token.NAME and child.value == old:
            child.value = new
            child.changed()
        elif child.type != python_symbols.classdef:
            rename_method(child, old, new)


def _statements(node: Any) -> Iterator[Any]:
    """The statements of a class, without their decorators."""
    for each in node.children[-1].children:
        is_decorated = each.type == python_symbols.decorated
        yield each.children[-1] if is_decorated else each
