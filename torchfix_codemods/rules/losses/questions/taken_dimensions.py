"""Operations that take tensors of so many dimensions and no others, in ``taken_dimensions.csv``.

A line each, as a method or a function: what its input has, what the tensor behind it has, and what
its input had until torch 0.3, where that was another number.
"""

from __future__ import annotations

from torchfix_codemods.facts.libraries.data import cells

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
