"""``e.message`` of a caught exception is ``str(e)``; ``traceback.print_exc(e)`` takes none.

https://peps.python.org/pep-0352/, https://docs.python.org/3/library/traceback.html
"""

from __future__ import annotations

import builtins
from typing import Any

from fissix.fixer_base import BaseFix
from fissix.pgen2 import token
from fissix.pygram import python_symbols
from fissix.pytree import Leaf, Node

from torchfix_codemods.documents.fixers.classes import names_bound
from torchfix_codemods.documents.fixers.names.bindings import binds_inside, names_inside
from torchfix_codemods.documents.fixers.places import root_of
from torchfix_codemods.patterns import lazy_pattern

#: As these an exception of any class is caught.
_ANY = frozenset({"BaseException", "Exception", "StandardError"})
#: Their text is another one than their message was: that of a key has quotes, where several things
#: were given the message was empty.
_OTHERWISE = (KeyError, OSError, SyntaxError, SystemExit, UnicodeError)
_NO_MESSAGE = (
    "exceptions have no .message in Python 3: write str({0}), or what is wanted of {0}.args"
)
#: Their first argument is how many lines to print at most: Python 2 took an exception for no limit.
_LIMITED = frozenset({".print_exc", ".format_exc"})
_TRACEBACK = lazy_pattern(r"(?m)^[ \t]*import[ \t]+(?:[^\n#]*,[ \t]*)?traceback\b(?![ \t]+as\b|\.)")


class FixCaught(BaseFix):  # type: ignore[misc]
    """Writes what Python 3 has of a caught exception, where its class is one of Python's own."""

    def start_tree(self, tree: Any, filename: str) -> None:
        super().start_tree(tree, filename)
        # A class of the file may give its exceptions a message, which they have in Python 3, too.
        self.has_messages = any(map(_gives_message, tree.pre_order()))
        self.has_traceback = _TRACEBACK.search(str(tree)) is not None

    def match(self, node: Any) -> bool:
        return bool(node.type == python_symbols.except_clause and len(node.children) == 4)

    def transform(self, node: Any, results: Any) -> None:
        _, classes, _, target = node.children
        handler = node.next_sibling.next_sibling
        if target.type != token.NAME or binds_inside(handler, target.value):
            return
        for name in names_inside(handler, target.value):
            following = name.next_sibling
            if self.has_traceback and _is_limit(name):
                name.remove()
            elif following is not None and str(following).strip() == ".message":
                self._convert_message(name, following, classes)

    def _convert_message(self, name: Any, message: Any, classes: Any) -> None:
        caught = _caught(classes)
        if not caught or (self.has_messages and not caught.isdisjoint(_ANY)):
            return
        is_text = all(not issubclass(getattr(builtins, c, Exception), _OTHERWISE) for c in caught)
        if not is_text or not _is_of_text(message.next_sibling):
            self.warning(name, _NO_MESSAGE.format(name.value))
            return
        given = [Leaf(token.LPAR, "("), Leaf(token.NAME, name.value), Leaf(token.RPAR, ")")]
        message.replace(Node(python_symbols.trailer, given))
        name.replace(Leaf(token.NAME, "str", prefix=name.prefix))


def _gives_message(node: Any) -> bool:
    """Whether a class has a ``message`` of its own, or an object gets one."""
    if node.type == python_symbols.classdef:
        return "message" in names_bound(node)
    is_message = node.type == python_symbols.trailer and str(node).strip() == ".message"
    following = node.parent.next_sibling if is_message and node.next_sibling is None else None
    return following is not None and following.type == token.EQUAL


def _caught(classes: Any) -> frozenset[str]:
    """The names of Python's own exceptions that a handler is for; none where it is for others."""
    leaves = [leaf.value for leaf in classes.leaves() if leaf.type != token.COMMA]
    names = frozenset(leaves) - {"(", ")"}
    own = {name for name in names if binds_inside(root_of(classes), name)}
    are_known = all(
        name in _ANY or isinstance(getattr(builtins, name, None), type) for name in names
    )
    return names if are_known and not own else frozenset()


def _is_of_text(following: Any) -> bool:
    """Whether what is asked of a message is a method of a text, or nothing."""
    if following is None or following.type != python_symbols.trailer:
        return True
    return str(following).strip().startswith(".") and hasattr(str, following.children[1].value)


def _is_limit(name: Any) -> bool:
    """Whether an exception is all that ``traceback.print_exc`` is given."""
    given = name.parent
    if given.type != python_symbols.trailer or len(given.children) != 3:
        return False
    function = given.prev_sibling
    is_limited = str(function).strip() in _LIMITED and given.children[0].type == token.LPAR
    module = function.prev_sibling if is_limited else None
    return module is not None and str(module).strip() == "traceback"
