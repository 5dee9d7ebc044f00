"""Where the numbers come from, and how they get into tensors."""

from __future__ import annotations

from typing import Any, Sequence

import numpy
import torch

#: What uniform float numbers are multiples of, by dtype: 1 is never reached by rounding.
_GRID = {torch.float32: 2.0**24, torch.float64: 2.0**53, torch.float16: 2.0**11}


class Source:
    """Where the numbers come from.

    Args:
        seed: of the generator that is used where the program names none.
    """

    def __init__(self, seed: int) -> None:
        self.state = numpy.random.RandomState()
        self.seed(seed)
        self._others: dict[int, Any] = {}

    def seed(self, seed: int) -> None:
        self.state.seed(_words(seed))

    def of(self, generator: Any) -> Any:
        """The state that stands for a generator of torch; it begins anew with a new seed."""
        if generator is None or generator is torch.default_generator:
            return self.state
        seed = generator.initial_seed()
        known = self._others.get(id(generator))
        if known is None or known[0] != seed:
            # The generator is held, so that no other one gets its id.
            known = (seed, numpy.random.RandomState(_words(seed)), generator)
            self._others[id(generator)] = known
        return known[1]


def _words(seed: int) -> Sequence[int]:
    seed %= 2**64
    return [seed & 0xFFFFFFFF, seed >> 32] if seed >> 32 else [seed]


def fill(tensor: torch.Tensor, values: Any) -> None:
    """Replace what a tensor holds, whatever its dtype and strides are."""
    if tensor.device.type == "meta" or not tensor.numel():
        return
    array = numpy.ascontiguousarray(values).reshape(tuple(tensor.shape))
    tensor.data.copy_(torch.from_numpy(array))


def array_of(value: Any) -> Any:
    """A tensor as an array of float64; anything else as it is."""
    return value.detach().cpu().double().numpy() if isinstance(value, torch.Tensor) else value


def unit(state: Any, like: torch.Tensor) -> Any:
    """Uniform numbers from 0 up to, not including, 1."""
    grid = _GRID.get(like.dtype, 2.0**8)
    return numpy.floor(state.random_sample(tuple(like.shape)) * grid) / grid


def weighted(state: Any, weights: Any, count: int, replacement: bool) -> Any:
    """Indices that are drawn as often as their weights say."""
    if replacement:
        sums = numpy.cumsum(weights / weights.sum())
        last = int(numpy.nonzero(weights)[0][-1])
        found = numpy.searchsorted(sums, state.random_sample(count), side="right")
        return numpy.minimum(found, last).astype(numpy.int64)
    waits = -numpy.log1p(-state.random_sample(weights.size))
    with numpy.errstate(divide="ignore", invalid="ignore"):
        waits = numpy.where(weights > 0, waits / weights, numpy.inf)
    return numpy.argsort(waits, kind="mergesort")[:count].astype(numpy.int64)
