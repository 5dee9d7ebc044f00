"""Where an expression stands in a tree of fissix, and on which lines."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.patterns import lazy_pattern

#: What is made of several lines is no longer than this on one.
LONGEST_LINE = 100

_BACKSLASH = lazy_pattern(r"[ \t]*\\(\r?\n)")
_CLOSED = (python_symbols.atom, python_symbols.trailer)
_OPENING = (token.LPAR, token.LSQB, token.LBRACE)

_BLOCKS = (python_symbols.simple_stmt, python_symbols.suite, python_symbols.file_input)


def is_one_in_parentheses(node: Any) -> bool:
    """``(x.y)``, and not ``(x, y)``."""
    if node.type != python_symbols.atom or len(node.children) != 3:
        return False
    inner = node.children[1]
    several = (python_symbols.testlist_gexp, python_symbols.yield_expr)
    return node.children[0].value == "(" and inner.type not in several


def is_one_of_two(node: Any) -> bool:
    """Whether an expression is what ``x if flag else y`` gives: ``x``, or ``y``."""
    chosen = node.parent
    is_either = chosen is not None and chosen.type == python_symbols.test
    return is_either and any(node is chosen.children[end] for end in (0, -1))


def function_given(node: Any) -> str:
    """What is called with an expression as its first argument: ``"len"``, ``".tqdm"`` of a method.

    Empty where that is no call by a name.
    """
    trailer = call_given(node)
    if trailer is None:
        return ""
    function = trailer.prev_sibling
    if function.type == python_symbols.trailer and function.children[0].value == ".":
        return f".{function.children[1].value}"
    return str(function.value) if function.type == token.NAME else ""


def function_called(trailer: Any) -> str:
    """``"torch.optim.SGD"`` of the parentheses of ``torch.optim.SGD(…)``."""
    parts = trailer.parent.children
    return "".join(map(str, parts[: parts.index(trailer)])).strip()


def call_given(node: Any) -> Any:
    """The parentheses of a call whose first argument an expression is, or None."""
    arguments = node.parent
    is_only = arguments.type == python_symbols.trailer and len(arguments.children) == 3
    is_first = arguments.type == python_symbols.arglist and arguments.children[0] is node
    trailer = arguments if is_only else arguments.parent if is_first else None
    return None if trailer is None or trailer.children[0].value != "(" else trailer


def call_around(node: Any) -> Any:
    """The parentheses of the call that an expression is any argument of, or None."""
    argument = node.parent
    is_named = argument.type == python_symbols.argument and argument.children[-1] is node
    arguments = argument.parent if is_named else argument
    trailer = arguments.parent if arguments.type == python_symbols.arglist else arguments
    is_call = trailer.type == python_symbols.trailer and trailer.children[0].value == "("
    return trailer if is_call else None


def without_backslashes(call: Any) -> Any:
    """A new call whose lines end without the backslashes that its parentheses make needless.

    Those inside of other brackets of it were so before, and stay.
    """
    pending = list(call.children[-1].children)
    while pending:
        node = pending.pop()
        node.prefix = _BACKSLASH.sub(r"\1", node.prefix)
        is_closed = node.type in _CLOSED and node.children[0].type in _OPENING
        pending += [] if is_closed else node.children
    return call


def root_of(node: Any) -> Any:
    """The whole file that a node is of."""
    while node.parent is not None:
        node = node.parent
    return node


def break_again(comprehension: Any, call: Any) -> None:
    """Begin a line with the condition of a comprehension, or else with its loop.

    That of a call on one line stays on one, however long it is, and so does one below the first
    line of its statement, of which the column is not known once all above it is rewritten.

    Args:
        comprehension: ``[k for k in x if k != a]``.
        call: the ``filter(lambda k: k != a, x)`` that it was.
    """
    begins, made = next(call.leaves()), str(comprehension).strip()
    if "\n" not in str(call).strip() or "\n" in made:
        return
    if begins.column + len(made) <= LONGEST_LINE or begins.lineno != _first_line_of_statement(call):
        return
    # [ (value, (for, name, in, iterable, (if, condition))) ]
    loop = comprehension.children[0].children[1].children[1]
    first, last = loop.children[0], loop.children[-1]
    start = last if next(last.leaves()).value == "if" else first
    start.prefix = "\n" + " " * (begins.column + 1)


def _first_line_of_statement(node: Any) -> int:
    while node.parent is not None and node.parent.type not in _BLOCKS:
        node = node.parent
    return int(next(node.leaves()).lineno)
