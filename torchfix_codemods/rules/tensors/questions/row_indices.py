"""Uses of indices that are the coordinates of one place."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by


def is_read_by_number(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is only read at places that are written down: ``i[0]``, ``i[1]``.

    There are as many elements whatever it was made of: the coordinates of one place.
    """
    parent = facts.parent(node)
    if not isinstance(parent, ast.Assign) or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    if len(parent.targets) > 1 or facts.is_used_elsewhere(name):
        return False
    places = [_place_read(use, facts) for use in uses_given_by(facts, parent, name)]
    return None not in places and len(set(places)) > 1


def _place_read(use: ast.expr, facts: Facts) -> int | None:
    """``2`` of ``i[2]``."""
    parent = facts.parent(use)
    is_read = isinstance(parent, ast.Subscript) and parent.value is use
    return whole_number(parent.slice) if isinstance(parent, ast.Subscript) and is_read else None
