"""Operations that take tensors of so many dimensions and no others, in ``taken_dimensions.csv``.

A line each, as a method or a function: what its input has, what the tensor behind it has, and what
its input had until torch 0.3, where that was another number.
"""

from __future__ import annotations

from torchfix_codemods.facts.libraries.data import cells
from torchfix_codemods.facts.libraries.torch_table import forms_of

_TAKEN = {
    operation: [frozenset(map(int, cell.split())) for cell in found]
    for operation, found in cells("taken_dimensions.csv").items()
}


def taken_by(operation: str, place: int, is_old: bool = False) -> frozenset[int]:
    """The numbers of dimensions that an operation takes; none where it takes any.

    >>> sorted(taken_by("mv", 0)), sorted(taken_by("mv", 1)), taken_by("cat", 0)
    ([2], [1], frozenset())

    Args:
        operation: the bare name of the method or function.
        place: which of its tensors is asked for, the input being the first.
        is_old: whether it is called by code for torch 0.3 at most.
    """
    found = _TAKEN.get(operation)
    if found is None or place > 1:
        return frozenset()
    return (is_old and place == 0 and found[2]) or found[place]


def taken_in_batches(name: str, is_old: bool) -> frozenset[int]:
    """The numbers of dimensions that a layer or function for batches takes; none of all others.

    >>> sorted(taken_in_batches("torch.nn.Conv2d", False))
    [3, 4]

    Args:
        name: its qualified name.
        is_old: whether it is called by code for torch 1.10 at most, where there had to be a batch.
    """
    found = {result.batched for form in forms_of(name) for result in form.results}
    ranks = found - {None}
    if len(found) != 1 or len(ranks) != 1:
        return frozenset()
    return frozenset(n for rank in ranks if rank for n in ((rank,) if is_old else (rank - 1, rank)))
