"""``__unicode__`` and ``__div__`` are ``__str__`` and ``__truediv__`` in Python 3.

https://docs.python.org/3/reference/datamodel.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fissix.fixer_base import BaseFix
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.classes import methods_of, names_bound, rename_method
from torchfix_codemods.documents.fixers.places import function_given

_RENAMED = {
    "__div__": "__truediv__",
    "__idiv__": "__itruediv__",
    "__nonzero__": "__bool__",
    "__rdiv__": "__rtruediv__",
}
#: What Python 3 asks no class for, and what has to be there in its place.
_TOLD = {
    "__cmp__": ("__lt__", "__eq__"),
    "__getslice__": ("__getitem__",),
    "__setslice__": ("__setitem__",),
    "__delslice__": ("__delitem__",),
}
_UNASKED = "Python 3 never calls {0} of {1}: {2}"
_COMPARED = "write __eq__ and __lt__, as functools.total_ordering takes them"
_SLICED = "{} gets the slice there"
_TWO_TEXTS = "its __str__ is what str() and print take, also where unicode() took the other one"
_ENCODED = "{} of {} gives bytes, which raises a TypeError in Python 3"
_ENCODING = re.compile(r"\((?:encoding\s*=\s*)?(['\"])([\w-]+)\1(?:,.*)?\)$", re.DOTALL)
_UTF_8 = frozenset({"utf8", "utf_8"})
_SHOWS_ITSELF = re.compile(r"(?:unicode\(self\)|self\.__unicode__\(\))(?:\.encode\([^()]*\))?$")


class FixMethods(BaseFix):  # type: ignore[misc]
    """Names the methods that Python calls by itself as Python 3 does, and tells of the others."""

    _accept_type = python_symbols.classdef

    def start_tree(self, tree: Any, filename: str) -> None:
        super().start_tree(tree, filename)
        self.left: set[str] = set()

    def finish_tree(self, tree: Any, filename: str) -> None:
        super().finish_tree(tree, filename)
        for leaf in () if self.left else tree.leaves():
            if leaf.value != "__unicode__" or leaf.prev_sibling is None:
                continue
            if leaf.prev_sibling.type == token.DOT:
                leaf.value = "__str__"
                leaf.changed()

    def match(self, node: Any) -> bool:
        return bool(node.type == python_symbols.classdef)

    def transform(self, node: Any, results: Any) -> None:
        methods = methods_of(node)
        bound = names_bound(node)
        name = node.children[1].value
        for old, new in _RENAMED.items():
            if old in bound and new not in bound:
                rename_method(node, old, new)
        for old, needed in _TOLD.items():
            if old in methods and not bound.issuperset(needed):
                said = _COMPARED if old == "__cmp__" else _SLICED.format(needed[0])
                self.warning(methods[old], _UNASKED.format(old, name, said))
        if "__unicode__" in methods:
            self._convert_unicode(node, methods, bound)
        for each in ("__str__", "__repr__"):
            method = methods.get(each)
            if method is not None and method.parent is not None:
                if not all([*map(_is_text_again, _returns(method))]):
                    self.warning(method, _ENCODED.format(each, name))

    def _convert_unicode(self, node: Any, methods: dict[str, Any], bound: set[str]) -> None:
        """Name ``__unicode__`` what it is for Python 3, where that takes no other text away."""
        name = node.children[1].value
        bases = {leaf.value for part in node.children[2:-1] for leaf in part.leaves()}
        if not self.left & bases and not _asks_for_bytes(methods["__unicode__"]):
            is_named_once = sum(each.value == "__str__" for each in node.leaves()) == 1
            if is_named_once and _is_the_same(methods) and _remove(methods["__str__"]):
                bound = bound - {"__str__"}
            if "__str__" not in bound:
                rename_method(node, "__unicode__", "__str__")
                return
        self.left.add(name)
        for leaf in [*node.leaves()]:
            # What it stands for; the other one may ask for it in turn.
            if leaf.value == "unicode" and _is_of_self(leaf):
                power, trailer = leaf.parent, leaf.next_sibling
                itself = trailer.children[1]
                itself.remove()
                itself.prefix = leaf.prefix
                leaf.value, leaf.prefix = ".__unicode__", ""
                power.insert_child(0, itself)
        said = _UNASKED.format("__unicode__", name, _TWO_TEXTS)
        self.warning(methods["__unicode__"], said)


def _is_the_same(methods: dict[str, Any]) -> bool:
    """Whether ``__str__`` is the text of ``__unicode__``, at once or by way of ``__repr__``."""
    given = _only_value(methods.get("__str__"))
    if given == "repr(self)":
        given = _only_value(methods.get("__repr__"))
    return _SHOWS_ITSELF.match(given) is not None


def _only_value(method: Any) -> str:
    """What a method returns that does nothing else; empty of others."""
    if method is None or method.parent.type == python_symbols.decorated:
        return ""
    body = str(method.children[-1]).strip()
    return body.removeprefix("return ") if body.startswith("return ") and "\n" not in body else ""


def _remove(method: Any) -> bool:
    """Take a method out of its class; not with what is remarked in it."""
    if "#" in str(method):
        return False
    following = method.next_sibling
    is_first = method.prev_sibling.type == token.INDENT
    if following is not None and is_first:
        following.prefix = method.prefix
    method.remove()
    return True


def _asks_for_bytes(method: Any) -> bool:
    """Whether ``__unicode__`` is made of what ``str(self)`` was, which would be itself."""
    for leaf in method.children[-1].leaves():
        if leaf.value == "__str__" or (leaf.value in ("str", "bytes") and _is_of_self(leaf)):
            return True
        if leaf.value == "self" and (
            function_given(leaf) == ".format" or str(leaf.prev_sibling).strip() == "%"
        ):
            return True
    return False


def _is_of_self(function: Any) -> bool:
    """``f(self)``."""
    following = function.next_sibling
    return following is not None and str(following).strip() == "(self)"


def _returns(method: Any) -> Iterator[Any]:
    """What a method returns, and no function inside of it."""
    left = [method.children[-1]]
    while left:
        node = left.pop()
        if node.type == python_symbols.return_stmt:
            yield node.children[1]
        elif node.type not in (python_symbols.funcdef, python_symbols.lambdef):
            left.extend(node.children)


def _is_text_again(value: Any) -> bool:
    """Whether a value is no text made bytes; of ``text.encode("utf-8")`` the text is left."""
    if value.type != python_symbols.power or len(value.children) < 3:
        return True
    *_, method, called = value.children
    if str(method).strip() != ".encode" or not str(called).startswith("("):
        return True
    encoding = _ENCODING.match(str(called))
    if encoding is None:
        return True
    if encoding[2].lower().replace("-", "_") not in _UTF_8:
        return False
    method.remove()
    called.remove()
    if len(value.children) == 1:
        (only,) = value.children
        only.remove()
        value.replace(only)
    return True
