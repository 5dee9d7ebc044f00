"""The reductions of torch 0.1, which kept the dimension that they reduced until 0.1.12."""

from __future__ import annotations

from torchfix_codemods.facts.libraries import torch_effects

#: Where the dimension stands among the arguments of the method; of the function it is one behind.
PLACE_OF_DIM = {
    "kthvalue": 1,
    "max": 0,
    "mean": 0,
    "median": 0,
    "min": 0,
    "mode": 0,
    "norm": 1,
    "prod": 0,
    "std": 0,
    "sum": 0,
    "var": 0,
}

#: What gives the places of the largest and the smallest, and was not there yet.
PLACES = frozenset({"argmax", "argmin"})

#: What gave a column until torch 0.3: it took matrices alone, and kept the dimension of their rows.
DISTANCE = "torch.nn.functional.pairwise_distance"


def gives_places(reduction: str) -> bool:
    """Whether a reduction along a dimension gives the values and their places: ``x.max(1)``."""
    return reduction in PLACE_OF_DIM and torch_effects.gives_indices(reduction)
