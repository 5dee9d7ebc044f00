"""Tuples that lose elements."""

from __future__ import annotations

from collections.abc import Sequence

from torchfix_codemods.edit import cst


def only_elements(node: cst.Tuple, kept: Sequence[int]) -> cst.BaseExpression:
    """A tuple of some of the elements; the element itself where it is one."""
    elements = [node.elements[index] for index in kept]
    if len(elements) == 1:
        return elements[0].value
    elements[-1] = elements[-1].with_changes(comma=node.elements[-1].comma)
    return node.with_changes(elements=elements)
