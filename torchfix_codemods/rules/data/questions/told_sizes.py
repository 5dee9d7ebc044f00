"""What is said of sizes that `Scale` of torchvision took, and that are others for `Resize`."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.rules.data.questions.square_sizes import (
    is_always,
    is_number_or_square,
    pair_behind,
    starts_with_height,
)

#: torchvision 0.2 came with torch 0.3; what was written before knew no other order.
_ONLY_WIDTH_FIRST = (0, 3)


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
    pair = None if size is None else pair_behind(size, facts)
    if size is None or pair is None:
        return f"Scale is now Resize: Resize({written}{others}) is the same for a number"
    there = line_named(pair.node, pair.facts, facts)
    turned = _turned(size, pair.node, facts)
    if turned and isinstance(pair.node, (ast.Tuple, ast.List)):
        if starts_with_height(pair.node):
            return f"Scale is now Resize({written}{others}), which takes (height, width)"
        if starts_with_height(pair.node) is False or facts.numbers_before(call, _ONLY_WIDTH_FIRST):
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
    if pair is size and isinstance(size, (ast.Tuple, ast.List)):
        first, second = map(facts.segment, size.elts)
        return f"({second}, {first})"
    return f"{facts.segment(size)}[::-1]" if is_always(size, pair, facts) else None
