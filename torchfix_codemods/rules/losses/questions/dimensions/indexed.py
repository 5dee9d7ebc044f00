"""A softmax of what an index takes that seems to name all dimensions of a tensor."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of, of_same_shape
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.rules.losses.questions.asked_dimensions import SWAPS
from torchfix_codemods.rules.losses.questions.dimensions.features import scaled
from torchfix_codemods.rules.losses.questions.shown_dimensions import shown_dimensions

#: Through so many names the input of a softmax is followed.
_MAX_DEPTH = 4
#: What gives as many dimensions as its input has.
_KEEP = SWAPS | {"gather", "t"}


def told_by_index(facts: Facts, tensor: ast.expr | None) -> str | None:
    """What to write of ``w[:n, i, :]``, also turned: whoever ends with a whole dimension names all.

    So does mostly who cuts rows: ``x[:, 1:]``.

    Args:
        facts: the facts of the module.
        tensor: the input of the softmax.

    Returns:
        None where the index leaves other than one dimension or two.
    """
    items = [] if tensor is None else _items(facts, tensor)
    left = {_left(facts, item) for item in items}
    if len(left) != 1:
        return None
    count, item = left.pop(), items[0]
    if count not in (1, 2):
        return None
    line, whole = facts.origin(item.lineno), ast.unparse(item.value)
    return f"write dim={count - 1}, if line {line} names all dimensions of {whole}"


def _items(facts: Facts, node: ast.expr, depth: int = 0) -> list[ast.Subscript]:
    """All items of tensors of which an expression has the dimensions; none where it may be else."""
    while True:
        inner = of_same_shape(facts, node) or scaled(facts, node)
        found = operated(facts, node) if isinstance(node, ast.Call) else None
        if inner is None and isinstance(node, ast.Call) and found is not None:
            inner = found[1] if function_of(node) in _KEEP else None
        if inner is None:
            break
        node = inner
    if isinstance(node, ast.Subscript):
        return [node]
    made = facts.assigned(node) if isinstance(node, ast.Name) and depth < _MAX_DEPTH else None
    each = [_items(facts, one, depth + 1) for one in made or ()]
    return [item for items in each for item in items] if all(each) else []


def _left(facts: Facts, item: ast.Subscript) -> int:
    """How many dimensions an index leaves that ends with a whole one, or cuts rows: ``x[:, 1:]``.

    0 of any other.
    """
    parts = indices(item.slice)
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    numbers = sum(isinstance(facts.value(part), Number) for part in parts)
    if len(slices) + numbers < len(parts) or not slices or slices[-1] is not parts[-1]:
        return 0
    if _is_whole(slices[-1]):
        return len(slices) if numbers else 0
    is_cut = len(parts) == len(slices) == 2 and _is_whole(slices[0])
    return 2 if is_cut and 2 in shown_dimensions(facts, item.value) else 0


def _is_whole(part: ast.Slice) -> bool:
    return not (part.lower or part.upper or part.step)
