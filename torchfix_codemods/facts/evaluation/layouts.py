"""Results that lie as the tensors do that they are made from, where their dimensions were moved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

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


def _may_be_moved(value: Value, follows: Follows) -> bool:
    """Whether the dimensions of what nothing shows to be permuted may be moved all the same."""
    if isinstance(value, Tensor):
        return not value.contiguous and value.ndim in (None, *follows.ranks)
    # What a loop has not given yet may still be anything.
    return not isinstance(value, Nothing)
