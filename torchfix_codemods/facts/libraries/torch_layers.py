"""What layers of torch do with what they are given, a line each in ``torch_layers.csv``.

``maps``: they give one tensor for one; ``takes``: they take tensors first, but several, or of
indices; ``weights``: their ``weight`` and ``bias`` are parameters, where they have them; ``lays``:
what they give is always fresh memory, contiguous whatever a program of old gave them; ``rows``:
they take two dimensions or three, and nothing else; ``channels``: the second dimension of what they
give holds what they calculated, also where others follow.
"""

from __future__ import annotations

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.data import rows


def that(word: str) -> frozenset[str]:
    """The layers of which a word is said, by their bare names.

    >>> "Linear" in that("weights"), "ReLU" in that("weights")
    (True, False)
    """
    return frozenset(layer for layer, words in rows("torch_layers.csv") if word in words.split())


def may_work_in_place(layer: str) -> bool:
    """Whether a layer can be told to write into its input: ``nn.ReLU(inplace=True)``."""
    effects = torch_effects.effects_of(f"torch.nn.{layer}")
    return any("input?inplace" in found.writes for found in effects)
