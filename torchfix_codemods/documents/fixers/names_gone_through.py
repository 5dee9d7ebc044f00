"""Names of a function that are only gone through, so that what they stand for need be no list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.places import call_around, function_given, root_of

#: Through so many functions that hand it on a name is followed.
_MOST_CALLED = 2
#: What holds the loops of a list, a set or a dict.
_AT_ONCE = (python_symbols.comp_for, python_symbols.dictsetmaker, python_symbols.listmaker)


def function_going_through(node: Any, takes: Callable[[Any], bool] = is_taken_apart) -> Any:
    """The function that gives an expression a name, and only goes through that; else None.

    It does so by itself, or by functions of the file: ``numbers = range(3)``, also as the default
    of a parameter.

    Args:
        node: the expression.
        takes: whether what is around an expression goes through it, or needs no list either.
    """
    name, function = _named(node)
    return function if function is not None and _goes_through(function, name, takes, 0) else None


def is_gone_through_next(node: Any) -> bool:
    """Whether an expression gets a name that only the next statement reads, and goes through once.

    That one names nothing that the expression is made of, which it might change meanwhile.

    Args:
        node: the expression.
    """
    name, function = _named(node)
    line = node.parent.parent
    if function is None or line.type != python_symbols.simple_stmt or len(line.children) != 2:
        return False
    uses = [
        leaf
        for leaf in function.leaves()
        if leaf.type == token.NAME and leaf.value == name.value and not _is_other(leaf)
    ]
    after = line.next_sibling
    if len(uses) != 2 or after is None or not _is_gone_through_once(uses[1], after):
        return False
    # Who asks for the next element may change it, too.
    return _names_in(after).isdisjoint(_names_in(node) | {"yield"})


def _is_gone_through_once(leaf: Any, statement: Any) -> bool:
    """Whether a statement goes through a name at once, and in no loop around that."""
    around = leaf.parent
    if around is statement:
        is_loop = statement.type == python_symbols.for_stmt
        return is_loop and statement.children[3] is leaf
    if around.type == python_symbols.comp_for:
        is_loop = len(around.children) > 3 and around.children[3] is leaf
        around = around.parent
        if not is_loop or around.type not in _AT_ONCE:
            return False
    elif not is_taken_apart(leaf, is_lazy=True):
        return False
    while around is not None and around.type != python_symbols.simple_stmt:
        around = around.parent
        if around is None or around.type == python_symbols.lambdef:
            return False
        if any(each.type == python_symbols.comp_for for each in around.children):
            return False
    return around is statement


def _names_in(node: Any) -> set[str]:
    return {leaf.value for leaf in node.leaves() if leaf.type == token.NAME}


def _named(node: Any) -> tuple[Any, Any]:
    """The name that an expression is given, and the function that has the name for its own."""
    equals = node.prev_sibling
    if equals is None or str(equals).strip() != "=":
        return None, None
    name, around = equals.prev_sibling, node.parent
    is_one = around.type == python_symbols.expr_stmt and len(around.children) == 3
    if name.type != token.NAME or not (is_one or around.type == python_symbols.typedargslist):
        return None, None
    while around is not None and around.type != python_symbols.funcdef:
        if around.type in (python_symbols.classdef, python_symbols.lambdef):
            return None, None
        around = around.parent
    return name, around


def _goes_through(function: Any, name: Any, takes: Callable[[Any], bool], depth: int) -> bool:
    """Whether a function does nothing else with what a name of it is given at one place."""
    return all(
        leaf is name
        or _is_other(leaf)
        or (_runs_at_once(leaf, function) and _is_gone_through(leaf, takes, depth))
        for leaf in function.leaves()
        if leaf.type == token.NAME and leaf.value == name.value
    )


def _is_other(leaf: Any) -> bool:
    """``x.name`` and ``f(name=x)``."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    if before is not None and before.type == token.DOT:
        return True
    return leaf.parent.type == python_symbols.argument and str(after).strip() == "="


def _runs_at_once(node: Any, function: Any) -> bool:
    """Whether code is no other function's, and no generator's that may be asked later."""
    while node is not function:
        around = node.parent
        if around.type in (python_symbols.lambdef, python_symbols.classdef):
            return False
        if around.type == python_symbols.funcdef and around is not function:
            return False
        if node.type == python_symbols.comp_for and around.type not in _AT_ONCE:
            if not is_taken_apart(around):
                return False
        node = around
    return True


def _is_gone_through(leaf: Any, takes: Callable[[Any], bool], depth: int) -> bool:
    around = leaf.parent
    if around.type in (python_symbols.for_stmt, python_symbols.comp_for):
        return len(around.children) > 3 and around.children[3] is leaf
    if around.type == python_symbols.comparison:
        operator = " ".join(str(around.children[-2]).split())
        return around.children[-1] is leaf and operator in ("in", "not in")
    if around.type == python_symbols.expr_stmt:
        # What it is given instead: ``x = f(x)``.
        is_one = len(around.children) == 3 and str(around.children[1]).strip() == "="
        return is_one and around.children[0] is leaf
    if function_given(leaf) == "len" or takes(leaf):
        return True
    function, parameter = _given_to(leaf) if depth < _MOST_CALLED else (None, None)
    return parameter is not None and _goes_through(function, parameter, takes, depth + 1)


def _given_to(leaf: Any) -> tuple[Any, Any]:
    """The function of the file that a name is handed to, and the parameter; else twice None."""
    trailer = call_around(leaf)
    if trailer is None or len(trailer.parent.children) != 2:
        return None, None
    called = trailer.parent.children[0]
    bound = [
        each
        for each in root_of(leaf).leaves()
        if each.value == getattr(called, "value", "") and each.parent.type != python_symbols.power
    ]
    function = bound[0].parent if len(bound) == 1 else None
    if function is None or function.type != python_symbols.funcdef:
        return None, None
    is_of_module = function.parent.type == python_symbols.file_input
    parameters = [*_parameters(function)]
    if not is_of_module or any(each.type != token.NAME for each in parameters):
        return None, None
    if leaf.parent.type == python_symbols.argument:
        word = leaf.parent.children[0].value
        return function, next((each for each in parameters if each.value == word), None)
    given = trailer.children[1]
    before = [leaf] if given is leaf else given.children[: given.children.index(leaf) + 1]
    before = [each for each in before if each.type != token.COMMA]
    is_plain = all(each.type != python_symbols.argument for each in before)
    return function, parameters[len(before) - 1] if is_plain and len(before) <= len(
        parameters
    ) else None


def _parameters(function: Any) -> list[Any]:
    """The names of parameters; ``*`` and what is unpacked as it is."""
    given = function.children[2].children[1:-1]
    if not given or given[0].type != python_symbols.typedargslist:
        return [*given]
    found, is_default = list[Any](), False
    for each in given[0].children:
        if each.type == token.COMMA:
            is_default = False
        elif each.type == token.EQUAL:
            is_default = True
        elif not is_default:
            found.append(each)
    return found
