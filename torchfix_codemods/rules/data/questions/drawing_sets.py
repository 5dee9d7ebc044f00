"""Which data sets draw from numpy's generator, by themselves or by what they are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject
from torchfix_codemods.rules.data.questions.numpy_draws import Drawing, method_draws

#: What a loader asks a data set for, and a data set its transformations.
_ASKED = ("__getitem__", "__call__")
_MOST_FOLLOWED = 3
#: Their classes ask for each sample of the data sets and transformations that they are given.
_ASK_ALWAYS = ("torch.utils.data.", "torchvision.")


def drawing(node: ast.expr, facts: Facts, depth: int = 0) -> Drawing | None:
    """How a data set or a transformation draws, or what it was built with; None: not at all."""
    made = facts.assigned(node) if isinstance(node, ast.Name) and depth <= _MOST_FOLLOWED else None
    if made:
        found = [drawing(each, facts, depth + 1) for each in made]
        return _joined(found, all(each is not None and each.is_certain for each in found))
    value = facts.value(node)
    call = node if isinstance(node, ast.Call) and _is_class(node.func, facts) else None
    own = [method_draws(facts.inference, value, name, call) for name in _ASKED]
    parts = [] if depth > _MOST_FOLLOWED else [*_of_parts(node, facts, depth)]
    is_asked = isinstance(node, ast.Call) and (facts.name(node.func) or "").startswith(_ASK_ALWAYS)
    certain = (own, parts) if is_asked else (own,)
    is_certain = any(one is not None and one.is_certain for group in certain for one in group)
    return _joined([*own, *parts], is_certain)


def _of_parts(node: ast.expr, facts: Facts, depth: int) -> Iterator[Drawing | None]:
    """How what a data set was built with draws, which it may use or not."""
    for given in values_given(node) if isinstance(node, ast.Call) else ():
        for part in walk(given):
            if isinstance(part, (ast.Name, ast.Call)):
                yield drawing(part, facts, depth + 1)


def _joined(found: list[Drawing | None], is_certain: bool) -> Drawing | None:
    known = [one for one in found if one is not None]
    functions = frozenset[ast.AST]().union(*(one.functions for one in known))
    return Drawing(is_certain, functions) if known else None


def _is_class(function: ast.expr, facts: Facts) -> bool:
    value = facts.value(function)
    return isinstance(value.value if isinstance(value, Imported) else value, ClassObject)
