"""Python's own functions that a conversion writes where a file uses their names for its own."""

from __future__ import annotations

import builtins
from typing import Any

from fissix.fixer_util import touch_import
from fissix.pgen2 import token
from fissix.pygram import python_symbols

_FUNCTIONS = (python_symbols.funcdef, python_symbols.lambdef)
_SEVERAL = frozenset(
    """atom testlist_gexp testlist_star_expr testlist exprlist listmaker star_expr tname tfpdef
    tfplist typedargslist varargslist parameters import_as_name import_as_names dotted_as_name
    dotted_as_names""".split()
)
_SEVERAL_TYPES = frozenset(getattr(python_symbols, name, None) for name in _SEVERAL)
# What these call so is Python's own.
_OF_PYTHON_3 = ("six.moves", "builtins", "past", "future")
_OWN = frozenset(name for name in dir(builtins) if name.islower())


def name_builtins(tree: Any) -> None:
    """Write ``builtins.input`` for what was written into a tree where ``input`` is another thing.

    Args:
        tree: the file, converted. What was written has no line there.
    """
    written = [
        leaf
        for leaf in tree.leaves()
        if _is_name(leaf) and leaf.value in _OWN and not leaf.lineno and not _is_binding(leaf)
    ]
    for leaf in written:
        if is_bound_around(leaf, leaf.value):
            leaf.value = f"builtins.{leaf.value}"
            leaf.changed()
            touch_import(None, "builtins", leaf)


def is_bound_around(node: Any, name: str) -> bool:
    """Whether a name is bound in a function around a node, or by the file as a whole.

    Args:
        node: where the name would be read.
        name: the name.
    """

    def binds(leaf: Any) -> bool:
        return leaf.value == name and _is_name(leaf) and _is_binding(leaf)

    around = node.parent
    while around.parent is not None:
        # Its own name is seen around it: that of a method is not seen at all.
        own = around.children[1] if around.type == python_symbols.funcdef else None
        if around.type in _FUNCTIONS and any(binds(e) for e in around.leaves() if e is not own):
            return True
        around = around.parent
    return any(binds(leaf) and not _is_inside_definition(leaf) for leaf in around.leaves())


def names_inside(node: Any, name: str) -> list[Any]:
    """Where a name stands inside of a node, and is not one of an attribute or of an argument.

    Args:
        node: the node.
        name: the name.
    """
    return [leaf for leaf in node.leaves() if leaf.value == name and _is_name(leaf)]


def binds_inside(node: Any, name: str) -> bool:
    """Whether a name is given a value inside of a node.

    Args:
        node: the node.
        name: the name.
    """
    return any(map(_is_binding, names_inside(node, name)))


def _is_name(leaf: Any) -> bool:
    """Whether a leaf is a name, and not one of an attribute or of an argument."""
    around = leaf.parent
    if leaf.type != token.NAME or around is None:
        return False
    is_keyword = around.type == python_symbols.argument and around.children[0] is leaf
    is_comprehension = is_keyword and around.children[1].type != token.EQUAL
    is_attribute = leaf.prev_sibling is not None and leaf.prev_sibling.type == token.DOT
    return not is_attribute and (not is_keyword or is_comprehension)


def _is_binding(leaf: Any) -> bool:
    """Whether a name is given a value where it stands."""
    inside, around = leaf, leaf.parent
    while around.type in _SEVERAL_TYPES:
        before = inside.prev_sibling
        if before is not None and before.type == token.EQUAL:
            # What a parameter is without an argument.
            return False
        inside, around = around, around.parent
        if around is None:
            return False
    before, after = inside.prev_sibling, inside.next_sibling
    if around.type == python_symbols.expr_stmt:
        return after is not None and after.type == token.EQUAL
    if around.type in (python_symbols.import_from, python_symbols.import_name):
        if str(around.children[1]).strip().startswith(_OF_PYTHON_3):
            return False
        return before is not None and str(before).strip() in ("import", "(")
    if around.type == python_symbols.lambdef:
        return after is not None and after.type == token.COLON
    if around.type == python_symbols.except_clause and before.type == token.COMMA:
        # ``except E, e`` of Python 2.
        return True
    return (before is not None and str(before).strip() in ("as", "for", "def", "class")) or (
        around.type == python_symbols.funcdef
    )


def _is_inside_definition(leaf: Any) -> bool:
    """Whether a name is one of a function or a class, which the rest of the file does not see."""
    inside, around = leaf, leaf.parent
    while around is not None:
        is_definition = around.type in (*_FUNCTIONS, python_symbols.classdef)
        # The name of what is defined is seen by all.
        if is_definition and not (inside is leaf and around.children[1] is leaf):
            return True
        inside, around = around, around.parent
    return False
