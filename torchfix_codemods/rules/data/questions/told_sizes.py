"""What is said of sizes that `Scale` of torchvision took, and that are others for `Resize`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import is_self, line_named
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rules.data.questions.square_sizes import is_number_or_square, is_square

#: torchvision 0.2 came with torch 0.3; what was written before knew no other order.
_ONLY_WIDTH_FIRST = (0, 3)
_LISTS = (ast.Tuple, ast.List)
_SIDE = lazy_pattern(
    r"(?:^|_)[hw]$|[Hh]eight$|[Ww]idth$|HEIGHT$|WIDTH$|(?:^|_)[HW]$|_(?:high|wide)$"
)


def is_same_size(call: ast.Call, facts: Facts) -> bool:
    """Whether `Scale` and `Resize` certainly understand the size in the same way."""
    size = argument(call, 0, "size")
    return size is not None and not is_opaque(call) and is_number_or_square(size, facts)


def about_size(call: ast.Call, facts: Facts) -> str | None:
    """What is said of a `Scale` whose size may be another for `Resize`."""
    if is_same_size(call, facts):
        return None
    size = argument(call, 0, "size")
    more = [facts.segment(other) for other in call.args[1:]]
    more += [
        f"{keyword.arg}={facts.segment(keyword.value)}"
        for keyword in call.keywords
        if keyword.arg != "size"
    ]
    others = "".join(f", {other}" for other in more)
    written = "size" if size is None else facts.segment(size)
    pair = None if size is None else _pair_behind(size, facts)
    if size is None or pair is None:
        return f"Scale is now Resize: Resize({written}{others}) is the same for a number"
    there = line_named(pair.node, pair.facts, facts)
    turned = _turned(size, pair.node, facts)
    if turned and isinstance(pair.node, _LISTS):
        if _starts_with_height(pair.node):
            return f"Scale is now Resize({written}{others}), which takes (height, width)"
        if _starts_with_height(pair.node) is False or facts.numbers_before(call, _ONLY_WIDTH_FIRST):
            return (
                "Scale took (width, height) until torchvision 0.1.9, Resize takes (height, width):"
                f" Resize({turned}{others}) is the same"
            )
    given = "" if pair.node is size else f" ({there} gives one)"
    return (
        f"Scale is now Resize, for which a pair{given} is (height, width), as for Scale since"
        " torchvision 0.2; up to 0.1.9 it was (width, height)"
    )


def _turned(size: ast.expr, pair: ast.expr, facts: Facts) -> str | None:
    """The pair that a size certainly is, the other way round, as code."""
    if pair is size and isinstance(size, _LISTS):
        first, second = map(facts.segment, size.elts)
        return f"({second}, {first})"
    return f"{facts.segment(size)}[::-1]" if _is_always(size, pair, facts) else None


def _pair_behind(size: ast.expr, facts: Facts) -> Place | None:
    """The pair of unlike sizes that a size is, or that some call in the project gives it."""
    return found_behind([Place(facts, size)], _before_pair)


def _before_pair(place: Place) -> Iterable[Place] | None:
    if not place.content and isinstance(place.node, _LISTS) and len(place.node.elts) == 2:
        return () if is_square(place.node, place.facts) else None
    if isinstance(place.node, ast.Attribute) and not _is_set_by_own_class(place.node, place.facts):
        # An attribute of that name may be another object's.
        return ()
    return behind(place)


def _is_set_by_own_class(node: ast.Attribute, facts: Facts) -> bool:
    owner = facts.names.enclosing_class(node) if is_self(facts, node.value) else None
    return owner is not None and bool(facts.classes.attribute_sources(owner, node.attr))


def _is_always(size: ast.expr, pair: ast.expr, facts: Facts) -> bool:
    """Whether a size is a pair that is written down, and nothing else.

    Args:
        size: the size that is given.
        pair: the pair that it may be.
        facts: the facts of the module.
    """
    if isinstance(size, ast.Attribute) and is_self(facts, size.value):
        owner = facts.names.enclosing_class(size)
        if owner is None or is_set_by_others(facts.inference, size.attr):
            return False
        sources = facts.classes.attribute_sources(owner, size.attr)
        stores = [n for n in facts.names.attributes(size.attr) if not isinstance(n.ctx, ast.Load)]
        return len(stores) == 1 and [source.written() for source in sources] == [pair]
    return isinstance(size, ast.Name) and facts.assigned(size) == [pair]


def _starts_with_height(pair: ast.Tuple | ast.List) -> bool | None:
    """Whether a pair is (height, width) by the names in it; None where they do not say.

    A name is no proof: good for what is said, not for what is rewritten.
    """
    first, second = map(_side, pair.elts)
    return first == "height" if {first, second} == {"height", "width"} else None


def _side(node: ast.expr) -> str:
    """``height`` of ``opt.target_height``, ``imageHeight`` and ``h``."""
    name = last_name(node) or ""
    found = _SIDE.search(name)
    return "" if found is None else {"h": "height", "w": "width"}[found[0].lower().lstrip("_")[0]]
