"""Dicts that one function makes, and nobody else can have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.facts.libraries import container_methods

#: What a function holds that may run at another time.
_ASIDE = (python_symbols.funcdef, python_symbols.lambdef, python_symbols.classdef)


def is_own(dictionary: str, loop: Any) -> bool:
    """Whether a dict is new in a function that hands it to nobody.

    What is called, and who goes on with a generator, does not see it then.

    Args:
        dictionary: the dict, as it is written.
        loop: where the function goes through it.
    """
    function = loop
    while function is not None and function.type != python_symbols.funcdef:
        function = function.parent
    if function is None or not dictionary.isidentifier():
        return False
    aside = [node for node in function.children[-1].pre_order() if node.type in _ASIDE]
    if any(True for node in aside for _ in _named(dictionary, node)):
        return False
    named = [*_named(dictionary, function)]
    return sum(map(_is_given_new, named)) == 1 and all(
        _is_given_new(name) or _is_read(name) for name in named
    )


def _named(name: str, function: Any) -> Iterator[Any]:
    for node in function.pre_order():
        if node.type != token.NAME or node.value != name:
            continue
        before = node.prev_sibling
        if before is None or before.type != token.DOT:
            yield node


def _is_given_new(name: Any) -> bool:
    """``d`` of ``d = {}``, ``d = dict(…)`` and ``d = collections.defaultdict(list)``."""
    statement = name.parent
    if statement.type != python_symbols.expr_stmt or len(statement.children) != 3:
        return False
    target, equals, value = statement.children
    if target is not name or str(equals).strip() != "=":
        return False
    if value.type == python_symbols.atom:
        return bool(value.children[0].value == "{")
    if value.type != python_symbols.power or str(value.children[-1])[:1] != "(":
        return False
    made = "".join(map(str, value.children[:-1])).strip()
    return made.removeprefix("collections.") in ("dict", "OrderedDict", "defaultdict")


def _is_read(name: Any) -> bool:
    """``d.items()``, ``d[k]``, also where that is set, and ``k in d``."""
    around = name.parent
    if around.type == python_symbols.comparison:
        return around.children[-1] is name
    if around.type != python_symbols.power or around.children[0] is not name:
        return False
    trailer = around.children[1]
    if trailer.children[0].value == "[":
        return bool(around.parent.type != python_symbols.del_stmt)
    if trailer.children[0].value != ".":
        return False
    method = trailer.children[1].value.removeprefix("iter")
    is_reading = container_methods.is_of("dict", method) and container_methods.only_reads(method)
    return is_reading or method == "has_key"
