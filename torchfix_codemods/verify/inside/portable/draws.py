"""What ``torch`` and tensors draw."""

from __future__ import annotations

import functools
import math
import pickle
import sys
from typing import Any, Callable, Sequence

import numpy
import torch

from .source import Source, array_of, fill, unit, weighted

Values = Callable[..., Any]
"""What a draw is replaced with: gets the state, the drawn tensor and the arguments."""

_LOADERS = "torch.utils.data"

#: Up to where ``random_()`` goes.
_LARGEST = {
    torch.float16: 2**11 + 1,
    torch.float32: 2**24 + 1,
    torch.float64: 2**53 + 1,
    torch.uint8: 2**8,
    torch.int8: 2**7,
    torch.int16: 2**15,
    torch.int32: 2**31,
    torch.int64: 2**63 - 1,
}

#: Options of loaders that make no sense without workers.


def install(source: Source) -> None:
    """Replace what is drawn, and let seeds and states be those of the source."""
    _patch_seeds(source)
    for name, values in _FUNCTIONS.items():
        _patch(source, torch, name, values)
    for name, values in _METHODS.items():
        _patch(source, torch.Tensor, name, values)


def _patch_seeds(source: Source) -> None:
    random: Any = torch.random
    manual_seed, seed = random.manual_seed, getattr(random, "seed", random.initial_seed)

    @functools.wraps(manual_seed)
    def portable_manual_seed(seed: Any) -> Any:
        source.seed(int(seed))
        return manual_seed(seed)

    @functools.wraps(seed)
    def portable_seed() -> Any:
        source.seed(0)
        return seed()

    def get_rng_state() -> torch.Tensor:
        state = pickle.dumps(source.state.get_state(), protocol=2)
        return torch.from_numpy(numpy.frombuffer(state, dtype=numpy.uint8).copy())

    def set_rng_state(new_state: torch.Tensor) -> None:
        source.state.set_state(pickle.loads(new_state.cpu().numpy().tobytes()))

    for function, name in (
        (portable_manual_seed, "manual_seed"),
        (portable_seed, "seed"),
        (get_rng_state, "get_rng_state"),
        (set_rng_state, "set_rng_state"),
    ):
        setattr(torch, name, function)
        setattr(random, name, function)


def _patch(source: Source, owner: Any, name: str, values: Values) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def portable(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if not _is_of_loaders(sys._getframe(1)):
            fill(result, values(source.of(kwargs.get("generator")), result, args, kwargs))
        return result

    setattr(owner, name, portable)


def _is_of_loaders(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(_LOADERS)


def _argument(args: Sequence[Any], kwargs: dict[str, Any], at: int, name: str, default: Any) -> Any:
    if name in kwargs:
        return kwargs[name]
    return args[at] if len(args) > at else default


def _rand(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    return unit(state, result)


def _randn(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    return state.standard_normal(tuple(result.shape))


def _randint(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    numbers = [int(a) for a in args if not isinstance(a, (tuple, list, torch.Size))][:2]
    low = kwargs.get("low", numbers[0] if len(numbers) == 2 else 0)
    high = kwargs.get("high", numbers[-1] if numbers else 0)
    return _integers(state, result, int(low), int(high))


def _randint_like(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    return _randint(state, result, args[1:], kwargs)


def _integers(state: Any, like: torch.Tensor, low: int, high: int) -> Any:
    if high - low > 2**53:
        return state.randint(low, high, tuple(like.shape), dtype=numpy.int64)
    drawn = numpy.floor(state.random_sample(tuple(like.shape)) * (high - low))
    return drawn.astype(numpy.int64) + low


def randperm(state: Any, result: torch.Tensor, args: Any = (), kwargs: Any = None) -> Any:
    """The numbers below the size of a tensor, in an order of chance."""
    return state.permutation(result.numel()).astype(numpy.int64)


def _bernoulli(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    chance = _argument(args, kwargs, 1, "p", None)
    return _chosen(state, result, args[0] if chance is None else chance)


def _bernoulli_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    return _chosen(state, result, _argument(args, kwargs, 1, "p", 0.5))


def _chosen(state: Any, result: torch.Tensor, chance: Any) -> Any:
    drawn = state.random_sample(tuple(result.shape)) < array_of(chance)
    return numpy.asarray(drawn).astype(numpy.uint8)


def _normal(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    mean = array_of(_argument(args, kwargs, 0, "mean", 0.0))
    deviation = array_of(_argument(args, kwargs, 1, "std", 1.0))
    drawn = state.standard_normal(tuple(result.shape))
    shape = drawn.shape
    mean, deviation = (
        v.reshape(shape) if getattr(v, "size", -1) == drawn.size else v for v in (mean, deviation)
    )
    return mean + drawn * deviation


def _multinomial(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    count = int(_argument(args, kwargs, 1, "num_samples", 1))
    replacement = bool(_argument(args, kwargs, 2, "replacement", False))
    weights = numpy.atleast_2d(array_of(args[0] if args else kwargs["input"]))
    return numpy.stack([weighted(state, row, count, replacement) for row in weights])


def _poisson(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    return state.poisson(array_of(args[0] if args else kwargs["input"])).astype(numpy.float64)


def _uniform_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    low = float(_argument(args, kwargs, 1, "from", 0.0))
    high = float(_argument(args, kwargs, 2, "to", 1.0))
    return low + unit(state, result) * (high - low)


def _normal_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    return _normal(state, result, args[1:], kwargs)


def _random_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    bounds = [int(bound) for bound in args[1:]]
    low = int(kwargs.get("from", bounds[0] if len(bounds) == 2 else 0))
    high = kwargs.get("to", bounds[-1] if bounds else None)
    largest = _LARGEST.get(result.dtype, 2)
    return _integers(state, result, low, largest if high is None else int(high))


def _exponential_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    drawn = -numpy.log1p(-unit(state, result))
    return drawn / float(_argument(args, kwargs, 1, "lambd", 1.0))


def _cauchy_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    median = float(_argument(args, kwargs, 1, "median", 0.0))
    sigma = float(_argument(args, kwargs, 2, "sigma", 1.0))
    return median + sigma * numpy.tan(math.pi * (unit(state, result) - 0.5))


def _log_normal_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    mean = float(_argument(args, kwargs, 1, "mean", 1.0))
    deviation = float(_argument(args, kwargs, 2, "std", 2.0))
    return numpy.exp(mean + deviation * state.standard_normal(tuple(result.shape)))


def _geometric_(state: Any, result: torch.Tensor, args: Any, kwargs: Any) -> Any:
    chance = float(_argument(args, kwargs, 1, "p", 0.5))
    tries = numpy.log1p(-state.random_sample(tuple(result.shape))) / math.log1p(-chance)
    return numpy.maximum(numpy.ceil(tries), 1)


_FUNCTIONS: dict[str, Values] = {
    "rand": _rand,
    "rand_like": _rand,
    "randn": _randn,
    "randn_like": _randn,
    "randint": _randint,
    "randint_like": _randint_like,
    "randperm": randperm,
    "bernoulli": _bernoulli,
    "normal": _normal,
    "multinomial": _multinomial,
    "poisson": _poisson,
}

_METHODS: dict[str, Values] = {
    "bernoulli": _bernoulli,
    "multinomial": _multinomial,
    "uniform_": _uniform_,
    "normal_": _normal_,
    "bernoulli_": _bernoulli_,
    "random_": _random_,
    "exponential_": _exponential_,
    "cauchy_": _cauchy_,
    "log_normal_": _log_normal_,
    "geometric_": _geometric_,
}
