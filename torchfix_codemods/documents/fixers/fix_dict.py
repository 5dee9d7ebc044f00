"""``d.keys()`` is ``list(d.keys())`` where a list is needed; ``x in d.keys()`` needs none."""

from __future__ import annotations

import re
from typing import Any

from fissix.fixes import fix_dict
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import is_taken_apart
from torchfix_codemods.documents.fixers.names_gone_through import function_going_through
from torchfix_codemods.documents.fixers.places import call_around, function_called, function_given
from torchfix_codemods.documents.fixers.unchanged_dicts import (
    calls_what_leaves_it,
    is_harmless,
    is_made_anew,
    leaves_dict_alone,
)

_CHANGED = (
    r"(?<![\w.]){}(?:\.(?:clear|pop|popitem|setdefault|update)\(|\[[^]\n]*\][ \t]*=(?!=))"
    r"|\bdel[ \t]+{}\["
)


class FixDict(fix_dict.FixDict):  # type: ignore[misc]
    """Leaves ``x in d.keys()``, ``len(d.keys())`` and ``[k for k in d.keys()]`` alone as well.

    So it does with loops that do not change the dict.
    """

    def in_special_context(self, node: Any, isiter: bool) -> Any:
        is_asked = function_given(node) == "len" or _is_looked_into(node)
        if not isiter and function_given(node) == "enumerate":
            return _is_taken_one_by_one(node) or not _is_changed_meanwhile(node)
        is_through = is_taken_apart(node) or _is_read_through(node) or _is_looped_over(node)
        is_through = is_through or (not isiter and _is_taken_one_by_one(node))
        is_through = is_through or (not isiter and _is_named_for_a_while(node))
        return is_asked or is_through or super().in_special_context(node, isiter)


def _is_looked_into(node: Any) -> bool:
    """Whether an expression is what ``in`` or ``not in`` looks into."""
    comparison = node.parent
    if comparison.type != python_symbols.comparison or comparison.children[-1] is not node:
        return False
    return str(comparison.children[-2]).split() in (["in"], ["not", "in"])


def _is_looped_over(node: Any) -> bool:
    """Whether a loop goes through it that leaves the dict alone."""
    loop = node.parent
    if not _is_gone_through(node):
        return False
    method = str(node.children[-2].children[1])
    target = loop.children[1]
    while target.children:
        # Of ``k, v`` or ``(k, v)``.
        is_open = target.type == python_symbols.atom
        target = target.children[1 if is_open else 0]
    dictionary = _dictionary(node)
    keys = "" if method.endswith("values") else str(target).strip()
    return is_made_anew(node) or leaves_dict_alone(loop.children[5], dictionary, keys)


def _is_taken_one_by_one(node: Any) -> bool:
    """Whether ``zip`` or ``enumerate`` goes through it, and what goes through that changes nothing.

    Elsewhere fissix makes a list of ``zip`` itself, but not of an import of that name.
    """
    trailer = call_around(node)
    if trailer is None or function_called(trailer) not in ("enumerate", "zip"):
        return False
    call = trailer.parent
    if call.children[-1] is not trailer:
        return False
    if _is_gone_through(call):
        return leaves_dict_alone(call.parent.children[5], _dictionary(node), "")
    return function_given(call) != "enumerate" and is_taken_apart(call)


def _is_changed_meanwhile(node: Any) -> bool:
    """Whether a loop over ``enumerate(d.keys())`` says itself that it changes the dict."""
    call = call_around(node).parent
    if not _is_gone_through(call):
        return False
    changed = _CHANGED.replace("{}", re.escape(_dictionary(node)))
    return re.search(changed, str(call.parent.children[5])) is not None


def _is_named_for_a_while(node: Any) -> bool:
    """Whether a function that leaves the dict alone gives it a name, and only goes through that.

    Of a name that one block has to itself, that block counts.
    """
    function = function_going_through(node)
    if function is None:
        return False
    block, name = function.children[-1], str(node.parent.children[0]).strip()
    inner = node
    while inner.type not in (python_symbols.suite, python_symbols.funcdef):
        inner = inner.parent
    if inner.type == python_symbols.suite and _counted(name, inner) == _counted(name, block):
        block = inner
    return leaves_dict_alone(block, _dictionary(node), "")


def _counted(name: str, block: Any) -> int:
    return sum(leaf.value == name for leaf in block.leaves())


def _is_gone_through(node: Any) -> bool:
    """Whether a loop goes through an expression."""
    loop = node.parent
    return bool(loop.type == python_symbols.for_stmt and loop.children[3] is node)


def _dictionary(node: Any) -> str:
    """``d`` of ``d.keys()``."""
    return "".join(map(str, node.children[:-2])).removeprefix(node.prefix)


def _is_read_through(node: Any) -> bool:
    """Whether a comprehension goes through it that leaves the dict alone."""
    loop = node.parent
    if loop.type != python_symbols.comp_for or node not in loop.children[3:]:
        return False
    whole = loop.parent
    if whole.type in (python_symbols.comp_for, python_symbols.comp_if):
        return False
    dictionary = _dictionary(node)
    return all(
        is_harmless(call) or _is_below(call, node) or calls_what_leaves_it(call, dictionary)
        for call in _calls(whole)
    )


def _is_below(part: Any, node: Any) -> bool:
    while part is not None and part is not node:
        part = part.parent
    return part is node


def _calls(node: Any) -> list[Any]:
    return [
        each
        for each in node.pre_order()
        if each.type == python_symbols.trailer and each.children[0].value == "("
    ]
