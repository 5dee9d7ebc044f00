"""How many dimensions one step leaves, an operation, a layer or an index, and of how many."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.evaluation import module_calls
from torchfix_codemods.facts.evaluation.forms.applied import apply
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import torch_layers
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.libraries.taken_dimensions import taken_in_batches
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of, function_read
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Module,
    NoneValue,
    Number,
    Tensor,
    Value,
    item_at,
)
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY, at_least

#: Layers that take a batch of rows or of sequences.
_TAKE_ROWS = torch_layers.that("rows")
#: Layers that give one tensor for one; ``nn.CosineSimilarity`` compares two.
_OF_ONE = torch_api.LAYERS | {"Embedding", "EmbeddingBag"}
_ROWS = frozenset({2, 3})
#: Since when layers for batches take one of its elements as well.
ALONE = (1, 11)
#: Since when a tensor can have no dimension.
_NONE_LEFT = (0, 4)
#: Since when a reduction takes a dimension away.
_REDUCED = (0, 2)

_Ndims = frozenset[int]


def behind(facts: Facts, module: Module, before: _Ndims) -> _Ndims:
    """The numbers of dimensions behind a layer of torch.

    Args:
        facts: the facts of the module.
        module: the layer.
        before: the numbers of dimensions of what it is given.
    """
    package, _, layer = (module.cls or "").rpartition(".")
    if package != "torch.nn" or layer not in _OF_ONE:
        return ANY
    is_old = module.call is not None and facts.era_of(module.call).before(ALONE)
    rows = _ROWS if layer in _TAKE_ROWS else ANY
    taken = before & (taken_in_batches(module.cls or "", is_old) or rows)
    return clipped(
        module_calls.layer_output(facts.inference, module, Tensor(ndim=ndim)) for ndim in taken
    )


def after_index(facts: Facts, node: ast.Subscript, before: _Ndims) -> _Ndims:
    """The numbers of dimensions of ``x[:, 0]``: a number takes one away, and a slice leaves it.

    ``x[None]`` has one more.

    Args:
        facts: the facts of the module.
        node: the item.
        before: the numbers of dimensions of x.
    """
    parts = indices(node.slice)
    slices = sum(isinstance(part, ast.Slice) for part in parts)
    numbers = sum(isinstance(facts.value(part), Number) for part in parts)
    news = sum(_is_new(facts, part) for part in parts)
    if slices + numbers + news < len(parts):
        return at_least(slices + news)
    ndims = more(before & at_least(slices + numbers))
    return frozenset(min(ndim - numbers + news, MANY) for ndim in ndims)


def _is_new(facts: Facts, part: ast.expr) -> bool:
    """Whether an index adds a dimension: ``None``, ``numpy.newaxis``."""
    return facts.name(part) == "numpy.newaxis" or isinstance(facts.value(part), NoneValue)


def operated_on(facts: Facts, call: ast.Call, after: Callable[[], _Ndims]) -> _Ndims:
    """The numbers of dimensions of the input of an operation that gives some: 3 of ``x.sum(1)``
    that has 2.

    Args:
        facts: the facts of the module.
        call: the call of a function of torch, or of a method of a tensor.
        after: tells the numbers of dimensions that the result can have.
    """
    return _before_operation(facts, call, lambda made: made, after)


def part_operated_on(facts: Facts, call: ast.Call, place: int, after: _Ndims) -> _Ndims:
    """The same of an operation that gives several, one of them with so many: ``x.max(1)[0]``.

    Args:
        facts: the facts of the module.
        call: the call.
        place: which of them.
        after: the numbers of dimensions that it can have.
    """

    def part(made: Value | None) -> Value | None:
        # A row of one tensor is asked for as such.
        return None if made is None or isinstance(made, Tensor) else item_at(made, place)

    return _before_operation(facts, call, part, lambda: after)


def _before_operation(
    facts: Facts,
    call: ast.Call,
    part: Callable[[Value | None], Value | None],
    after: Callable[[], _Ndims],
) -> _Ndims:
    found = None if is_opaque(call) else operated(facts, call)
    if found is None:
        return ANY
    name, _, rest = found
    # Lines of 0.1 stayed in files of 0.2 and 0.3, whatever else these have.
    is_old = _may_be_before(facts, call, _REDUCED) or facts.era_of(call).before(_NONE_LEFT)
    was = function_read(facts, call)
    may_be_kept = was in PLACE_OF_DIM and (is_old or was != function_of(call))

    def made(ndim: int) -> _Ndims:
        if function_of(call) == "squeeze":
            # Of one dimension, or of all, it takes those of size 1.
            least = ndim - 1 if rest.args or rest.keywords else 0
            return frozenset(min(n, MANY) for n in range(max(least, 0), ndim + 1))
        left = clipped([part(apply(facts.inference, name, rest, Tensor(ndim=ndim)))])
        return left | {min(ndim, MANY)} if may_be_kept else left

    taken = taken_in_batches(name, facts.era_of(call).before(ALONE)) or ANY
    return taken & _of_which(made, after, _may_be_before(facts, call, _NONE_LEFT))


def _by_index(facts: Facts, node: ast.Subscript) -> _Ndims:
    """What ``x[:, 1]``, and ``x[:, i]`` of a number, ask of x."""
    parts, counted = indices(node.slice), (ast.Slice, ast.BinOp)
    number = Number("int")
    return at_least(sum(isinstance(p, counted) or facts.value(p) == number for p in parts))


def indexed(
    facts: Facts, node: ast.Subscript, after: Callable[[], _Ndims], is_array: bool = False
) -> _Ndims:
    """The same of x where ``x[:, 1]`` can have so many dimensions.

    Args:
        facts: the facts of the module.
        node: the item.
        after: tells the numbers of dimensions that it can have.
        is_array: whether x is an array or a list, which never kept a dimension.
    """
    is_old = not is_array and _may_be_before(facts, node, _NONE_LEFT)
    left = _of_which(lambda ndim: after_index(facts, node, frozenset({ndim})), after, is_old)
    return _by_index(facts, node) & left


def given_layer(facts: Facts, call: ast.Call, after: Callable[[], _Ndims]) -> _Ndims:
    """The numbers of dimensions of what a layer of torch is given, which gives some.

    Args:
        facts: the facts of the module.
        call: the call of the layer.
        after: tells the numbers of dimensions that the result can have.
    """
    layer = facts.value(call.func)
    if not isinstance(layer, Module) or len(call.args) != 1 or call.keywords:
        return ANY
    return _of_which(lambda ndim: behind(facts, layer, frozenset({ndim})), after, False)


def _may_be_before(facts: Facts, node: ast.expr, version: tuple[int, ...]) -> bool:
    """Whether code may have been written for a torch older than that."""
    return (facts.era_of(node).oldest or ()) < version


def _of_which(made: Callable[[int], _Ndims], after: Callable[[], _Ndims], is_old: bool) -> _Ndims:
    """The numbers of dimensions of which something makes some of ``after``.

    What was left without a dimension kept one in old code. What can never run shows nothing.
    """
    found = {ndim: frozenset[int]().union(*map(made, more(frozenset({ndim})))) for ndim in ANY}
    if all(ndims == ANY for ndims in found.values()):
        return ANY
    left = after()
    if is_old and 1 in left:
        left |= {0}
    return frozenset(ndim for ndim, ndims in found.items() if ndims & left) or ANY


def more(ndims: _Ndims) -> list[int]:
    """The numbers themselves, some for all above among them."""
    return [*ndims, *(range(MANY + 1, MANY + 3) if MANY in ndims else ())]


def clipped(values: Iterable[object]) -> _Ndims:
    """The numbers of dimensions of some values; any where one is not known."""
    ndims = [value.ndim if isinstance(value, Tensor) else None for value in values]
    return ANY if None in ndims else frozenset(min(n, MANY) for n in ndims if n is not None)
