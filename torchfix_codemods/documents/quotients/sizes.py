"""The sizes of arrays, tensors and pictures, which are whole numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.language.foreign import imports
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources


def is_size(place: Place) -> bool:
    """``x.shape[0]``, whatever has a shape, and what is unpacked from it, or from ``x.size()``.

    So is ``picture.size[0]`` of a picture that is opened in sight.

    Args:
        place: where the number is, or what it is a part of.
    """
    sizes, facts = _sizes_of(place), place.facts
    if isinstance(sizes, ast.Call):
        return _asks_for_sizes(sizes, facts)
    if not isinstance(sizes, ast.Attribute):
        return False
    return sizes.attr == "shape" or (
        _may_be_of_picture(sizes, facts) and come_from([Place(facts, sizes.value)], _before_opened)
    )


def may_be_size(place: Place) -> bool:
    """The same, and ``image.size[0]`` of anything in a file that has pictures of PIL.

    Args:
        place: where the number is, or what it is a part of.
    """
    return is_size(place) or _may_be_of_picture(_sizes_of(place), place.facts)


def _sizes_of(place: Place) -> ast.expr | None:
    """``x.shape`` of ``x.shape[0]``, and of what is unpacked from it."""
    if place.content:
        return place.node
    return place.node.value if isinstance(place.node, ast.Subscript) else None


def _may_be_of_picture(sizes: ast.expr | None, facts: Facts) -> bool:
    """``picture.size`` in a file that has pictures of PIL."""
    is_named = isinstance(sizes, ast.Attribute) and sizes.attr == "size"
    return is_named and imports(facts.names, "PIL")


def _before_opened(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    if isinstance(node, ast.Call) and not place.content:
        if facts.name(node.func) == "PIL.Image.open":
            return ()
        method = node.func
        if isinstance(method, ast.Attribute) and method.attr == "convert":
            return [Place(facts, method.value)]
    return sources(place)


def _asks_for_sizes(call: ast.Call, facts: Facts) -> bool:
    """``x.size()`` in a file of torch, if no class of the project answers that in its own way."""
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr != "size":
        return False
    is_of_torch = not (call.args or call.keywords) and imports(facts.names, "torch")
    return is_of_torch and not proofs.defines_method(facts.names, "size")
