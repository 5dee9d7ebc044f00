"""``loss.data[0]``, of which two rules could speak: the number is wanted, not the ``.data``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.tensors.wrappers import WRAPPERS
from torchfix_codemods.rules.autograd.questions.legacy.data_elements import (
    becomes_number,
    may_be_summed_number,
)
from torchfix_codemods.rules.autograd.questions.legacy.lost_dimensions import indexes_lost_dimension
from torchfix_codemods.rules.autograd.questions.old_numbers import may_be_old_number


def is_of_indexed_number(node: ast.Attribute, facts: Facts) -> bool:
    """Whether the rule for ``loss.data[0]`` has something to say about ``.data``."""
    index = _index_of(node, facts)
    return index is not None and (
        indexed_scalar(facts, index) is not None
        or _is_reported(index, facts)
        or may_be_old_number(facts, index)
        or becomes_number(facts, whole_index(index, facts))
        or may_be_summed_number(facts, whole_index(index, facts))
    )


def _index_of(node: ast.Attribute, facts: Facts) -> ast.Subscript | None:
    """``x.data.cpu()[0]`` around ``x.data``."""
    child: ast.AST = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.Subscript) and parent.value is child:
            return parent
        in_chain = isinstance(parent, ast.Call) or (
            isinstance(parent, ast.Attribute) and parent.attr in WRAPPERS
        )
        if not in_chain:
            return None
        child = parent
    return None


def _is_reported(index: ast.Subscript, facts: Facts) -> bool:
    """``x.max(1)[1].data[0, 0]``, which that rule knows by its ``.data``."""
    if facts.era_of(index).needs((0, 4)):
        return False
    outer = facts.parent(index)
    if isinstance(outer, ast.Subscript) and outer.value is index:
        index = outer
    return indexes_lost_dimension(facts, index)


def whole_index(index: ast.Subscript, facts: Facts) -> ast.Subscript:
    """``x.data[0][1]`` around ``x.data[0]``."""
    outer = facts.parent(index)
    while isinstance(outer, ast.Subscript) and outer.value is index:
        index, outer = outer, facts.parent(outer)
    return index
