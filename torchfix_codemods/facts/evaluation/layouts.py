"""Results that lie as the tensors do that they are made from, where their dimensions were moved."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_table import Result
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Nothing, Tensor, Value
from torchfix_codemods.record import record

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


@record
class Follows:
    """Which tensors a result follows."""

    ranks: tuple[int | None, ...]
    """Their numbers of dimensions; None where that is not known."""
    movers: Iterable[str]
    """The methods that can move their dimensions so that the result follows them."""


#: By the layouts of the table of what torch's callables return.
FOLLOWED = {
    # What moves the channels of images to the end, and back.
    "m": Follows((4, 5), ("permute", "movedim", "moveaxis")),
    "w": Follows((None, 3), torch_api.PERMUTING),
}


def is_in_order(
    inference: Inference, follows: Follows, given: Iterable[Value], ndim: int | None
) -> bool:
    """Whether a result is contiguous, as no dimensions of what it follows were moved about.

    Args:
        inference: the values of the module.
        follows: what it follows.
        given: the tensors that it is made from.
        ndim: its number of dimensions, None where that is not known.
    """
    tensors = list(given)
    known = (value for value in tensors if isinstance(value, Tensor))
    if any(tensor.permuted and tensor.ndim in (None, *follows.ranks) for tensor in known):
        return False
    if ndim not in follows.ranks or not any(_may_be_moved(value, follows) for value in tensors):
        return True
    return not any(inference.names.attributes(name) for name in follows.movers)


def keeps_order(name: str, result: Result) -> bool:
    """Whether a view has its dimensions in the order of what it is a view of.

    ``expand`` has, and what takes parts along a dimension: ``narrow``, ``chunk``.
    """
    if not torch_effects.gives_alias(name):
        return False
    takes_parts = torch_effects.does(name, "selects") and result.ndim == "input"
    return takes_parts or torch_effects.does(name, "repeats")


def cuts_outermost(name: str, dim: ast.expr | None) -> bool:
    """Whether a view has parts that follow each other of the outermost dimension: it lies as what
    it is cut from, as ``x[a:b]`` does.

    Args:
        name: the operation: ``narrow``, ``select``.
        dim: the argument that says along which dimension, where it is written down.
    """
    takes_parts = torch_effects.does(name, "selects") and torch_effects.gives_alias(name)
    return takes_parts and type(number := constant(dim)) is int and number == 0


def packs(name: str, result: Result) -> bool:
    """Whether parts that were cut out, or what was expanded, lie close to each other in a result.

    What is calculated number by number, or copied, does, in the order of the dimensions.
    """
    is_new = torch_effects.is_fresh(name, "inplace") and {"i", "v"}.isdisjoint(result.flags)
    has_its_places = torch_effects.does(name, "elementwise", "keeps", "casts")
    return is_new and has_its_places and not torch_effects.may_do(name, "selects")


def ruling(tensors: Iterable[Tensor]) -> Iterator[Tensor]:
    """The tensors that may rule how what is calculated of all lies: a contiguous one before that
    has its full sizes rules alone.

    Source: ``TensorIteratorBase::reorder_dimensions`` of torch, which asks the tensors in order and
    passes over those of which a dimension is spread.
    """
    most = -1
    for tensor in tensors:
        if tensor.ndim is None or tensor.ndim > most:
            yield tensor
        if tensor.ndim is not None and tensor.contiguous and tensor.repeated:
            most = max(most, tensor.ndim)


def is_repeated(name: str, result: Result, given: Sequence[Value], ndim: int | None) -> bool:
    """Whether a result has the sizes that ``repeat`` gave to it or to what it is made from.

    Args:
        name: the qualified name of what is called.
        result: what the table says of its result.
        given: the tensors that it is given.
        ndim: how many dimensions the result has.
    """
    if result.ndim == "#repeats":
        return True
    if not torch_effects.does(name, "elementwise", "keeps", "casts"):
        return False
    return any(
        isinstance(value, Tensor) and value.repeated and (len(given) == 1 or value.ndim == ndim)
        for value in given
    )


def _may_be_moved(value: Value, follows: Follows) -> bool:
    """Whether the dimensions of what nothing shows to be permuted may be moved all the same."""
    if isinstance(value, Tensor):
        return not value.contiguous and value.ndim in (None, *follows.ranks)
    # What a loop has not given yet may still be anything.
    return not isinstance(value, Nothing)
