"""What a file that is opened is given to, as long as nothing else is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import function_called

#: What opens a file of bytes, as it is or packed.
_OPENING = frozenset({"open", "gzip.open", "bz2.open"})
#: What a file may be asked for beside what it is opened for.
MAY_FOLLOW = ("close", "flush")


def given_to(opened: Any, places: Mapping[str, int]) -> dict[str, Any]:
    """The functions that are given a file, and where; none where something else is asked.

    Args:
        opened: the call of ``open``.
        places: where each function has a file among its arguments.
    """
    function = _function_given(opened, places)
    if function:
        return {function: opened}
    name = name_of(opened)
    if name is None or name.type != token.NAME:
        return {}
    parent = opened.parent
    scope = parent.parent if parent.type == python_symbols.with_item else scope_of(parent)
    given: dict[str, Any] = {}
    for leaf in scope.leaves():
        if leaf.type != token.NAME or leaf.value != name.value or is_other_name(leaf):
            continue
        function = _function_given(leaf, places)
        if function:
            given.setdefault(function, leaf)
        elif not _is_bound_to_file(leaf) and not _is_done_with(leaf):
            return {}
    return given


def name_of(opened: Any) -> Any:
    """What a file is bound to, or None: ``f`` of ``f = open(x)`` and ``with open(x) as f:``."""
    parent = opened.parent
    if parent.type == python_symbols.with_item:
        return parent.children[-1]
    is_bound = parent.type == python_symbols.expr_stmt and len(parent.children) == 3
    return parent.children[0] if is_bound else None


def mode_of(opened: Any) -> Any:
    """The mode of a file, where that is a text in its place, or None."""
    given = opened.children[1].children[1]
    parts = given.children if given.type == python_symbols.arglist else []
    mode = parts[2] if len(parts) > 2 else None
    is_opaque = any(part.type == python_symbols.argument for part in parts[:1])
    return None if mode is None or is_opaque or mode.type != token.STRING else mode


def scope_of(node: Any) -> Any:
    """The function that a node is in, or the whole file."""
    while node.parent is not None and node.type not in (
        python_symbols.funcdef,
        python_symbols.lambdef,
    ):
        node = node.parent
    return node


def _function_given(file: Any, places: Mapping[str, int]) -> str:
    """``"pickle.dump"`` of the file that it is given; empty where that is another function."""
    arguments = file.parent
    is_only = arguments.type == python_symbols.trailer
    trailer = arguments if is_only else arguments.parent
    if not is_only and arguments.type != python_symbols.arglist:
        return ""
    if trailer.type != python_symbols.trailer or trailer.children[0].value != "(":
        return ""
    function = function_called(trailer)
    place = 0 if is_only else arguments.children.index(file) // 2
    return function if places.get(function) == place else ""


def is_other_name(leaf: Any) -> bool:
    """Of ``x.f`` and ``g(f=1)``."""
    around = leaf.parent
    is_attribute = around.type == python_symbols.trailer and around.children[0].value == "."
    return is_attribute or (around.type == python_symbols.argument and around.children[0] is leaf)


def _is_bound_to_file(leaf: Any) -> bool:
    around = leaf.parent
    if around.type == python_symbols.with_item:
        value = around.children[0] if around.children[-1] is leaf else None
    elif around.type == python_symbols.expr_stmt and len(around.children) == 3:
        is_plain = around.children[0] is leaf and around.children[1].type == token.EQUAL
        value = around.children[2] if is_plain else None
    else:
        return False
    return (
        value is not None
        and value.type == python_symbols.power
        and "".join(map(str, value.children[:-1])).strip() in _OPENING
    )


def _is_done_with(leaf: Any) -> bool:
    """``f.close()``."""
    member = leaf.next_sibling
    is_first = leaf.parent.type == python_symbols.power and leaf.prev_sibling is None
    return bool(
        is_first
        and member is not None
        and member.type == python_symbols.trailer
        and member.children[0].value == "."
        and member.children[1].value in MAY_FOLLOW
    )
