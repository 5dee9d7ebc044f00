"""``names.sort(compare)`` of a list has got ``key=``; ``x.sort(1)`` of a tensor stays."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_sorted
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.places import root_of


class FixSorted(fix_sorted.FixSorted):  # type: ignore[misc]
    """Takes the first argument of a method for a comparison only where it certainly is one.

    Tensors and arrays have a method ``sort`` as well, and ``torch.sort(x)`` looks like one.
    """

    def match(self, node: Any) -> Any:
        # Its pattern tries all ways to divide the parts of each expression.
        return any(map(_names_sort, node.children)) and super().match(node)

    def transform(self, node: Any, result: Any) -> Any:
        if not _is_call_of_sorted(node) and not _is_comparison(_first_argument(result), node):
            return None
        return super().transform(node, result)


def _names_sort(part: Any) -> bool:
    """Whether a part of an expression is ``sorted`` or ``.sort``."""
    if part.type == python_symbols.trailer:
        return any(leaf.type == token.NAME and leaf.value == "sort" for leaf in part.children)
    return bool(part.type == token.NAME and part.value == "sorted")


def _is_call_of_sorted(node: Any) -> bool:
    """Whether ``sorted(x, f)`` is called, and not ``sorted(x).sort(f)``."""
    return bool(node.children[0].type == token.NAME and _opens_call(node.children[1]))


def _opens_call(node: Any) -> bool:
    return bool(node.type == python_symbols.trailer and node.children[0].value == "(")


def _first_argument(result: Any) -> Any:
    given = result.get("func_args") or result["func_arg"]
    return given[0] if isinstance(given, list) else given


def _is_comparison(argument: Any, node: Any) -> bool:
    """Whether ``argument`` is a function of two values, or names one by ``cmp=``."""
    if argument.type == python_symbols.argument:
        return bool(argument.children[0].value == "cmp")
    if argument.type == python_symbols.lambdef:
        return _counted(argument.children[1]) == 2
    if argument.type != token.NAME:
        return False
    return any(_is_function_of_two(each, argument.value) for each in root_of(node).pre_order())


def _is_function_of_two(node: Any, name: str) -> bool:
    """Whether a node is ``def name(a, b)``."""
    if node.type != python_symbols.funcdef or node.children[1].value != name:
        return False
    parameters = node.children[2].children[1:-1]
    return len(parameters) == 1 and _counted(parameters[0]) == 2


def _counted(parameters: Any) -> int:
    """How many parameters there are; ``a`` and ``:`` are no list of them."""
    lists = (python_symbols.typedargslist, python_symbols.varargslist)
    if parameters.type not in lists:
        return int(parameters.type == token.NAME)
    names = [child for child in parameters.children if child.type != token.COMMA]
    are_plain = all(str(child).strip() not in ("*", "**", "=") for child in names)
    return len(names) if are_plain else 0
