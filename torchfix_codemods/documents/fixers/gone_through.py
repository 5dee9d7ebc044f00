"""What is only gone through, so that Python 3 needs no list of it."""

from __future__ import annotations

from typing import Any

from fissix.fixer_util import consuming_calls
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import (
    call_around,
    call_given,
    function_called,
    function_given,
)

#: What goes through its first argument, whatever else it is given by name.
_GO_THROUGH = consuming_calls | {"dict", "frozenset", ".extend", ".join", ".update"}
#: Several expressions, or targets, with commas between them.
SEVERAL = (
    python_symbols.exprlist,
    python_symbols.testlist,
    python_symbols.testlist_gexp,
    python_symbols.testlist_star_expr,
    python_symbols.listmaker,
)


def is_taken_apart(node: Any, is_lazy: bool = False) -> bool:
    """Whether an expression is unpacked, or all that a function goes through: ``a, b = f(x)``.

    Args:
        node: the expression.
        is_lazy: whether it reads other things while it is gone through: what is longer by each
            element would never end then.
    """
    around = node.parent
    if around.type == python_symbols.expr_stmt and len(around.children) == 3:
        target, equals, value = around.children
        is_value = value is node and str(equals).strip() == "="
        return is_value and _is_of_several(target)
    if _is_starred(node) or makes_optimizer(node) or _is_reduced(node):
        return True
    function = function_given(node)
    if function not in _GO_THROUGH or (is_lazy and function in (".extend", ".update")):
        return False
    others = around.children[1:] if around.type == python_symbols.arglist else ()
    return all(each.type == token.COMMA or _is_by_name(each) for each in others)


def makes_optimizer(node: Any) -> bool:
    """Whether parameters are given to an optimizer of torch, which makes its own list of them."""
    argument = node.parent
    if _is_by_name(argument) and str(argument.children[0]).strip() == "params":
        node = argument
    trailer = call_given(node)
    return trailer is not None and function_called(trailer).startswith(("optim.", "torch.optim."))


def _is_starred(node: Any) -> bool:
    """``f(*map(g, x))``."""
    argument = node.parent
    is_unpacked = argument.type == python_symbols.argument and len(argument.children) == 2
    return is_unpacked and str(argument.children[0]).strip() == "*"


def _is_reduced(node: Any) -> bool:
    """``reduce(f, range(3))``."""
    trailer = call_around(node)
    if trailer is None or function_called(trailer) not in ("reduce", "functools.reduce"):
        return False
    return node.parent.type == python_symbols.arglist and node.parent.children[2] is node


def _is_by_name(argument: Any) -> bool:
    is_one = argument.type == python_symbols.argument
    return bool(is_one and argument.children[1].type == token.EQUAL)


def _is_of_several(target: Any) -> bool:
    if target.type == python_symbols.atom and len(target.children) == 3:
        target = target.children[1]
    return bool(target.type in SEVERAL)
