"""What the arguments of shape-taking methods are."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence import is_minus_one
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Number, Sequence, Size


def asks_for_shape(view: ast.Call, facts: Facts) -> bool:
    """Whether ``x.view(…)`` certainly gives sizes, and not the dtype to read the bits as."""
    if view.keywords or not view.args:
        return False
    if len(view.args) > 1:
        return True
    only = view.args[0]
    if isinstance(only, (ast.Starred, ast.BinOp)) or is_minus_one(only):
        return True
    return isinstance(facts.value(only), (Number, Sequence, Size))
