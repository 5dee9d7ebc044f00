"""Code that leaves a dict as large as it is, so that a loop may go through the dict itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import SEVERAL

#: What changes the size of no dict, whatever it is given.
_HARMLESS = frozenset(
    """abs bool bytes chr dict enumerate float format hash int isinstance iter len list long max min
    ord print range repr reversed round set sorted str sum tuple type unicode xrange zip
    .append .endswith .extend .format .items .iteritems .iterkeys .itervalues .join .keys .lower
    .lstrip .rstrip .split .startswith .strip .upper .values""".split()
)
_LIBRARIES = frozenset("math np numpy random torch".split())
_MAKE_NEW = frozenset("Counter OrderedDict defaultdict dict list".split())
#: What may give a name a value besides an assignment to it alone.
_MAY_BIND = (
    python_symbols.comp_for,
    python_symbols.for_stmt,
    python_symbols.global_stmt,
    python_symbols.import_as_name,
    python_symbols.import_from,
    python_symbols.parameters,
    python_symbols.typedargslist,
    *SEVERAL,
)


def leaves_dict_alone(body: Any, dictionary: str, keys: str) -> bool:
    """Whether the size of a dict stays what it is while code runs.

    Args:
        body: the code.
        dictionary: the dict, as it is written.
        keys: what a loop calls its keys; empty where it does not.
    """
    for node in body.pre_order():
        if node.type in (python_symbols.del_stmt, python_symbols.yield_expr, token.AWAIT):
            return False
        if node.type == token.NAME and node.value in ("yield", "exec", "del"):
            return False
        if node.type != python_symbols.trailer:
            continue
        if node.children[0].value == "(" and not is_harmless(node):
            return False
        if node.children[0].value == "[" and not _finds_or_fills(node, dictionary, keys):
            return False
    return True


def is_harmless(call: Any) -> bool:
    """Whether what is called is known to change the size of no dict.

    Args:
        call: the parentheses after it.
    """
    first, *before = call.parent.children[: call.parent.children.index(call)]
    if first.type == token.NAME and not before:
        return bool(first.value in _HARMLESS)
    if any(each.type != python_symbols.trailer for each in before):
        return False
    are_names = [each.children[0].value == "." for each in before]
    if first.type == token.NAME and first.value in _LIBRARIES and all(are_names):
        return True
    method = str(before[-1].children[1]) if are_names[-1:] == [True] else ""
    # Methods of tensors that work in place.
    return f".{method}" in _HARMLESS or (method.endswith("_") and not method.startswith("_"))


def _finds_or_fills(index: Any, dictionary: str, keys: str) -> bool:
    """Whether ``x[i]`` is a part of another thing, or of the dict by one of its keys."""
    power = index.parent
    before = power.children[: power.children.index(index)]
    held = "".join(map(str, before)).removeprefix(power.prefix)
    if held == dictionary:
        return bool(keys) and str(index.children[1]) == keys
    stored = power
    while stored.parent.type in (python_symbols.atom, *SEVERAL):
        stored = stored.parent
    statement = stored.parent
    is_stored = statement.type == python_symbols.expr_stmt and statement.children[-1] is not stored
    return not is_stored or _is_made_here(power, held)


def _is_made_here(node: Any, name: str) -> bool:
    """Whether all that a name is given in the file is new: ``{}``, ``n * [0]``, ``np.zeros(n)``."""
    root = node
    while root.parent is not None:
        root = root.parent
    given = [*_given_to(root, name)]
    return bool(given) and all(map(_is_new, given))


def _given_to(root: Any, name: str) -> Iterator[Any]:
    for node in root.pre_order():
        if node.type == token.NAME and node.value == name:
            around = node.parent
            is_last = around.children[-1] is node
            if around.type == python_symbols.expr_stmt and not is_last:
                yield around.children[-1]
            elif around.type in _MAY_BIND:
                yield node


def _is_new(value: Any) -> bool:
    if value.type in (python_symbols.term, python_symbols.arith_expr):
        return True
    if value.type == python_symbols.atom:
        return value.children[0].value in ("{", "[")
    first = value.children[0] if value.type == python_symbols.power else None
    return first is not None and str(first).strip() in (*_MAKE_NEW, "np", "numpy", "torch")
