"""Where all generators of random numbers start."""

from __future__ import annotations

import random


def seed_all(seed: int) -> None:
    """Let Python's own generator, torch's and numpy's start alike in each run.

    Args:
        seed: where they start.
    """
    import torch

    random.seed(seed)
    torch.manual_seed(seed)
    try:
        import numpy

        numpy.random.seed(seed)
    except ImportError:
        pass
