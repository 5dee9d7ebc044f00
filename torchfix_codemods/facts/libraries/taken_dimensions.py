"""Operations that take tensors of so many dimensions and no others, in ``taken_dimensions.csv``.

A line each, as a method or a function: what its input has, and what the tensor behind it has.
"""

from __future__ import annotations

from torchfix_codemods.facts.libraries.data import cells

_TAKEN = {
    operation: [frozenset(map(int, cell.split())) for cell in found]
    for operation, found in cells("taken_dimensions.csv").items()
}


def taken_by(operation: str, place: int) -> frozenset[int]:
    """The numbers of dimensions that an operation takes; none where it takes any.

    >>> sorted(taken_by("mv", 0)), sorted(taken_by("mv", 1)), taken_by("cat", 0)
    ([2], [1], frozenset())

    Args:
        operation: the bare name of the method or function.
        place: which of its tensors is asked for, the input being the first.
    """
    found = _TAKEN.get(operation, ())
    return found[place] if place < len(found) else frozenset()
