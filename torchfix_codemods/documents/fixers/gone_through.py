"""What is only gone through, so that Python 3 needs no list of it."""

from __future__ import annotations

from typing import Any

from fissix.fixer_util import consuming_calls
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import function_given

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
    function = function_given(node)
    if function not in _GO_THROUGH or (is_lazy and function in (".extend", ".update")):
        return False
    others = around.children[1:] if around.type == python_symbols.arglist else ()
    return all(each.type == token.COMMA or _is_by_name(each) for each in others)


def _is_by_name(argument: Any) -> bool:
    is_one = argument.type == python_symbols.argument
    return bool(is_one and argument.children[1].type == token.EQUAL)


def _is_of_several(target: Any) -> bool:
    if target.type == python_symbols.atom and len(target.children) == 3:
        target = target.children[1]
    return bool(target.type in SEVERAL)
