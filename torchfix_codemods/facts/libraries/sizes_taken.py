"""Which arguments of functions that are not torch's are sizes: whole numbers, or several of them.

A float raises there.
"""

from __future__ import annotations

from torchfix_codemods.facts.libraries import numpy_functions

#: Width and height of an image, and the one side of a matrix.
_SIDES = frozenset(
    {
        ("cv2.resize", 1),
        ("cv2.warpAffine", 2),
        ("cv2.warpPerspective", 2),
        ("numpy.eye", 0),
        ("numpy.identity", 0),
    }
)


def takes_size(name: str, place: int) -> bool:
    """Whether an argument is the size of an array or an image, or one of its dimensions.

    >>> takes_size("numpy.zeros", 0), takes_size("cv2.resize", 1), takes_size("cv2.resize", 0)
    (True, True, False)
    """
    return numpy_functions.takes_size(name, place) or (name, place) in _SIDES
