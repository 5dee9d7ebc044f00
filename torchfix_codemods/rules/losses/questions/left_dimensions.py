"""How many dimensions operations leave of a tensor that can have several numbers."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Callable

from torchfix_codemods.facts.evaluation.forms.applied import apply
from torchfix_codemods.facts.language.arguments import (
    argument,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.scopes import Path
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.taken_dimensions import taken_in_batches
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.values.lattice import (
    Number,
    Tensor,
    Unknown,
    Value,
    item_at,
)
from torchfix_codemods.rules.losses.questions.asked_dimensions import JOINS, SWAPS, by_use
from torchfix_codemods.rules.losses.questions.dimensions.one_step import ALONE, clipped, more
from torchfix_codemods.rules.losses.questions.dimensions.sizes import with_sizes
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY, at_least, needed, with_dims
from torchfix_codemods.rules.losses.questions.single_dimensions import is_one
from torchfix_codemods.rules.questions.listed_elements import elements

#: Until then ``masked_fill`` filled a copy of the tensor, whatever the mask was.
_IN_PLACE = (1, 0)

_Shown = Callable[[ast.expr], frozenset[int]]


def after_loop(before: frozenset[int]) -> frozenset[int]:
    """The numbers of dimensions of what a loop through a tensor gives, one after the other."""
    return frozenset(min(ndim - 1, MANY) for ndim in more(before & at_least(1)))


def after_broadcast(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    """The numbers of dimensions of what is calculated of two tensors, element by element."""
    return frozenset(max(pair) for pair in itertools.product(left, right))


def after_product(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    """The numbers of dimensions of ``a @ b``: a vector loses its only one, and takes none along."""
    pairs = itertools.product(more(left & at_least(1)), more(right & at_least(1)))
    ndims = (max(one, other) - (one == 1) - (other == 1) for one, other in pairs)
    return frozenset(min(max(ndim, 0), MANY) for ndim in ndims)


def after_call(facts: Facts, call: ast.Call, shown: _Shown, path: Path = ()) -> frozenset[int]:
    """The numbers of dimensions of what a call gives, or of a part of it: ``best, i = x.topk(3)``.

    Args:
        facts: the facts of the module.
        call: a call of anything but a module.
        shown: tells the numbers of dimensions of an expression.
        path: where the part stands.
    """
    found = operated(facts, call)
    if path:
        return ANY if found is None else _part_of(facts, call, found, shown, path)
    sizes_of = None if found is None else with_sizes(facts, found[0], [found[1], *found[2].args])
    if sizes_of is not None:
        return shown(sizes_of)
    if is_opaque(call) or found is None or not found[0].startswith("torch."):
        return ANY
    name, tensor, rest = found
    function, given = name.rpartition(".")[2], rest.args
    if name in JOINS:
        dim = argument(rest, 0, "dim")
        along = ANY if dim is None else at_least(needed(dim))
        return _joined(facts, tensor, JOINS[name], shown) & along
    if name == "torch.autograd.Variable":
        return shown(tensor)
    before = shown(tensor) & by_use(facts, tensor)
    if function in SWAPS:
        return before & with_dims(given)
    if function == "permute":
        return before & _listed(given)
    if function == "matmul" and given:
        return after_product(before, shown(given[0]))
    if function == "squeeze":
        dim = argument(rest, 0, "dim")
        return _squeezed(facts, tensor, dim, before)
    is_in_place = function.endswith("_") and torch_effects.keeps_sizes(function)
    if is_in_place or (function == "masked_fill" and facts.era_of(call).before(_IN_PLACE)):
        # What is written in place stays as large as it is.
        return before
    before &= taken_in_batches(name, facts.era_of(call).before(ALONE)) or ANY
    after = clipped(apply(facts.inference, name, rest, Tensor(ndim=n)) for n in more(before))
    effects = torch_effects.of_any(function)
    if after is ANY and (
        torch_effects.is_elementwise(effects) or torch_effects.does(effects, "moves")
    ):
        beside = (one for one in values_given(rest) if not is_number(facts, one))
        return functools.reduce(after_broadcast, map(shown, beside), before)
    return after


def _part_of(
    facts: Facts,
    call: ast.Call,
    found: tuple[str, ast.expr, ast.Call],
    shown: _Shown,
    path: Path,
) -> frozenset[int]:
    """What an operation of torch gives at a place: one of several tensors, or a row of one."""
    name, tensor, rest = found
    before = shown(tensor) & by_use(facts, tensor)
    # What has such a method may be no tensor, and give two of something else.
    if is_opaque(call) or (before == ANY and facts.name(call.func) is None):
        return ANY
    parts: list[Value] = []
    for ndim in more(before):
        part: Value = apply(facts.inference, name, rest, Tensor(ndim=ndim)) or Unknown()
        for step in path:
            part = item_at(part, step) if isinstance(step, int) else Unknown()
        parts.append(part)
    return clipped(parts)


def is_number(facts: Facts, node: ast.expr) -> bool:
    """Whether a value is a number, as that which a constructor keeps: ``clamp(min=self.eps)``.

    Args:
        facts: the facts of the module.
        node: what a tensor is calculated with.
    """
    value = facts.value(node)
    if isinstance(value, Unknown) and isinstance(node, (ast.Name, ast.Attribute)):
        if facts.inference.counts.is_count(node):
            return True
        value = value_by_all_calls(node, facts)
    return isinstance(value, Number)


def _listed(given: list[ast.expr]) -> frozenset[int]:
    """As many dimensions as ``permute(0, 2, 1)`` lists."""
    only = given[0] if len(given) == 1 else None
    named = only.elts if isinstance(only, (ast.Tuple, ast.List)) else given
    is_open = len(named) < 2 or any(isinstance(one, ast.Starred) for one in named)
    return ANY if is_open else frozenset({min(len(named), MANY)})


def _joined(facts: Facts, listed: ast.expr, more: int, shown: _Shown) -> frozenset[int]:
    """All that is joined has as many dimensions; ``stack`` adds one."""
    if isinstance(listed, (ast.Tuple, ast.List)):
        parts = [one for one in listed.elts if not isinstance(one, ast.Starred)]
        before = functools.reduce(operator.and_, map(shown, parts), ANY)
    else:
        # Not all that may be put into a list is in it.
        before = frozenset[int]().union(*map(shown, elements(facts, listed) or ())) or ANY
    return frozenset(min(n + more, MANY) for n in before - {0} or before)


def _squeezed(
    facts: Facts, tensor: ast.expr, dim: ast.expr | None, before: frozenset[int]
) -> frozenset[int]:
    """What ``x.squeeze(dim)`` leaves: one dimension less where that has certainly one element."""
    if not before:
        return before
    if dim is None:
        return frozenset().union(*(_left_of(facts, tensor, ndim) for ndim in more(before)))
    place = whole_number(dim)
    ndims = [n for n in more(before) if place is None or -max(n, 1) <= place < max(n, 1)]
    less = frozenset(min(max(n - 1, 0), MANY) for n in ndims)
    kept = [n for n in ndims if place is None or not is_one(facts, tensor, place % max(n, 1), n)]
    return less | frozenset(min(n, MANY) for n in kept)


def _left_of(facts: Facts, tensor: ast.expr, ndim: int) -> frozenset[int]:
    """What ``x.squeeze()`` can leave of so many dimensions."""
    ones = sum(is_one(facts, tensor, place, ndim) for place in range(ndim))
    return frozenset(min(n, MANY) for n in range(ndim - ones + 1))
