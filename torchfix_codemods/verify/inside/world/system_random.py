"""What a program takes from the system to be different each time is the same each run.

Generators that seed themselves (``default_rng()``, ``random.seed()``, ``torch.seed()``) and what
asks the system for bytes (``os.urandom``, ``uuid4``, ``secrets``) get numbers that only depend on
the process and on how many were taken before.
"""

from __future__ import annotations

import functools
import os
import random
from typing import Any

import torch

from ..trace import Trace


def install(trace: Trace, seed: int) -> None:
    """Put the numbers in the place of the system's.

    Args:
        trace: the record, which knows the name of the process: no two draw the same.
        seed: where they start.
    """
    started: dict[str, random.Random] = {}
    original = os.urandom
    plant = random.Random.seed

    def number(bits: int) -> int:
        if trace.name not in started:
            source = random.Random.__new__(random.Random)
            plant(source, f"{seed} {trace.name}")
            started[trace.name] = source
        return started[trace.name].getrandbits(bits)

    def urandom(size: int) -> bytes:
        return number(8 * size).to_bytes(size, "little") if size > 0 else original(size)

    def seeded(self: random.Random, a: Any = None, *args: Any, **kwargs: Any) -> None:
        plant(self, number(128) if a is None else a, *args, **kwargs)

    random.Random.seed = functools.wraps(plant)(seeded)  # type: ignore[method-assign]
    random.seed = random._inst.seed
    setattr(random, "_urandom", urandom)  # noqa: B010
    _of_torch(number)
    _of_numpy(number)
    os.urandom = functools.wraps(original)(urandom)


def _of_torch(number: Any) -> None:
    def seed() -> int:
        chosen: int = number(63)
        torch.manual_seed(chosen)
        return chosen

    for module in (torch, torch.random):
        if hasattr(module, "seed"):
            setattr(module, "seed", functools.wraps(module.seed)(seed))  # noqa: B010


def _of_numpy(number: Any) -> None:
    try:
        import numpy
    except ImportError:
        return
    plant = numpy.random.seed

    @functools.wraps(plant)
    def seed(*args: Any, **kwargs: Any) -> None:
        given = [*args, *kwargs.values()]
        if given and given[0] is not None:
            plant(*args, **kwargs)
        else:
            plant(number(32))

    numpy.random.seed = seed
