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
    node, content = place.node, place.content
    if isinstance(node, ast.Subscript) and not content:
        node, content = node.value, ("*",)
    if not content:
        return False
    if isinstance(node, ast.Call):
        return _asks_for_sizes(node, place.facts)
    if not isinstance(node, ast.Attribute):
        return False
    is_of_picture = node.attr == "size" and imports(place.facts.names, "PIL")
    return node.attr == "shape" or (
        is_of_picture and come_from([Place(place.facts, node.value)], _before_opened)
    )


def may_be_size(place: Place) -> bool:
    """The same, and ``image.size[0]`` of anything in a file that has pictures of PIL.

    Args:
        place: where the number is, or what it is a part of.
    """
    asked = place.node
    if isinstance(asked, ast.Subscript) and not place.content:
        asked = asked.value
    elif not place.content:
        return False
    is_named = isinstance(asked, ast.Attribute) and asked.attr == "size"
    return is_size(place) or (is_named and imports(place.facts.names, "PIL"))


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
