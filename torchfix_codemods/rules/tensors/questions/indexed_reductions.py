"""Reductions of which more dimensions are indexed than they leave: torch 0.1 kept them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM, PLACES, gives_places
from torchfix_codemods.facts.libraries.taken_dimensions import taken_by
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind
from torchfix_codemods.facts.paths.class_targets import holds_classes
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.tensors.defaults import is_plain_index
from torchfix_codemods.facts.tensors.least_dimensions import least_taken, operated
from torchfix_codemods.facts.tensors.reductions import (
    dim_of,
    function_of,
    gives_extremes_along,
    is_extreme_along,
    of_same_shape,
)
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor, item_at

#: How many steps back the value is looked for that has too few dimensions.
_MOST_STEPS = 12

#: The values and the places of an extreme along a dimension.
_HALVES = ((0,), (1,))

_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def indexed(facts: Facts, node: ast.Subscript) -> ast.expr | None:
    """The ``x.max(1)[1]`` that has one dimension less than ``best[0, 0]`` takes, one way or all.

    Of an x that is not known, what has as many dimensions and comes by another way tells so:
    ``torch.tensor([[n]])``, and so does a loss that takes ``best[:, 0]`` for its classes. None
    where a test around asks something of what is indexed.
    """
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if not indices or not _reduces(facts):
        return None
    if not all(is_plain_index(index, facts) for index in indices):
        return None
    return _short(facts, node, node.value, len(indices))


def asked_for_more(facts: Facts, call: ast.Call) -> ast.expr | None:
    """The ``x.sum(1)`` that lacks a dimension which ``total.transpose(1, 2)`` or ``bmm`` takes.

    Args:
        facts: the facts of the module.
        call: the call that takes what has one dimension more than there are.
    """
    found = None if is_opaque(call) or not _reduces(facts) else operated(facts, call)
    if found is None or not call.args:
        return None
    name, tensor, _ = found
    taken = taken_by(name.rpartition(".")[2], 0)
    value = facts.value(tensor)
    if not isinstance(value, Tensor) or value.ndim is None or value.ndim in taken:
        return None
    least = min(taken) if taken else least_taken(facts, call, tensor)
    return _short(facts, call, tensor, least) if value.ndim == least - 1 else None


def _short(facts: Facts, node: ast.expr, taken: ast.expr, count: int) -> ast.expr | None:
    """What reduces to one dimension less than ``count``, which a place takes of an expression."""
    if any(_may_choose(around, taken, facts) for around in facts.names.ancestors(node)):
        return None
    may_be_short, is_as_long = list[ast.expr](), False
    places = [Place(facts, taken)]
    for place in places:
        if len(places) > _MOST_STEPS:
            return None
        core, content = unwrapped(place.node)[0], place.content
        value = place.facts.value(core)
        is_half = content in _HALVES and gives_extremes_along(place.facts, core)
        if is_half:
            value = item_at(value, 1 if content == (1,) else 0)
        ndim = value.ndim if isinstance(value, Tensor) else None
        is_as_long = is_as_long or ndim == count
        is_reduced = is_half or (not content and _is_reduced(facts, core))
        if place.facts is facts and is_reduced:
            if ndim == count - 1:
                return core
            may_be_short += [core] if ndim is None else []
        inner = of_same_shape(place.facts, core)
        places += (
            behind(place, by_name=False) if inner is None else [Place(place.facts, inner, content)]
        )
    is_told = count == 2 and bool(may_be_short) and (is_as_long or _is_row(facts, node))
    return may_be_short[0] if is_told else None


def _is_row(facts: Facts, node: ast.expr) -> bool:
    """``loss(x, best[:, 0])``: a class for each sample, as far back as reductions kept theirs."""
    return holds_classes(node, facts) and not facts.era_of(node).needs((0, 2))


def _may_choose(around: ast.AST, indexed: ast.expr, facts: Facts) -> bool:
    """Whether what stands around may ask how many dimensions there are, or catch what raises.

    Which of two is greater says nothing of that.
    """
    if not isinstance(around, (ast.If, ast.IfExp, ast.While)):
        return isinstance(around, ast.Try)
    named = {each.id for each in ast.walk(indexed) if isinstance(each, ast.Name)}
    return any(
        isinstance(asked, ast.Name) and asked.id in named and not _is_ordered(asked, facts)
        for asked in ast.walk(around.test)
    )


def _is_ordered(asked: ast.Name, facts: Facts) -> bool:
    by = facts.parent(asked)
    return isinstance(by, ast.Compare) and all(isinstance(each, _ORDERING) for each in by.ops)


def _reduces(facts: Facts) -> bool:
    """Whether anything in the file gives a dimension less; asked first, as the ways are long."""
    return facts.remembered(
        _reduces,
        lambda: any(
            _is_reduced(facts, call) or gives_extremes_along(facts, call)
            for name in (*PLACE_OF_DIM, *PLACES)
            for call in facts.names.calls(name)
        ),
    )


def _is_reduced(facts: Facts, node: ast.expr) -> bool:
    """``x.sum(1)``, ``x.max(1)[1]``, ``x.argmax(1)``, none of which keeps the dimension."""
    if is_extreme_along(facts, node):
        return True
    is_call = isinstance(node, ast.Call) and not gives_places(function_of(node))
    return isinstance(node, ast.Call) and is_call and dim_of(facts, node) is not None
