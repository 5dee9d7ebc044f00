"""Names that are nearly one of torch's, and that no torch had: ``torch.unsuqeeze``."""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.libraries.data import rows
from torchfix_codemods.facts.libraries.torch_names import star_exports

#: Shorter ones are near to too many others.
_SHORTEST = 4
#: What torch has, or had, that the tables lack, and that is nearly what they have.
_ALSO = frozenset({"compiler", "pstrf", "set_default_dtype"})


@functools.cache
def is_misspelt(name: str) -> bool:
    """Whether a qualified name is one letter, or two that changed places, away from one of torch.

    >>> is_misspelt("torch.unsuqeeze"), is_misspelt("torch.tiag"), is_misspelt("torch.diag")
    (True, True, False)
    """
    module, _, own = name.rpartition(".")
    if module != "torch" or len(own) < _SHORTEST or not own.isidentifier() or own[0] == "_":
        return False
    known = _of_torch()
    return own not in known and any(_is_near(own, other) for other in known if len(other) > 2)


@functools.cache
def _of_torch() -> frozenset[str]:
    """The names of functions and classes that torch itself has, or had."""
    old = (name for name, _ in rows("torch_old.csv"))
    qualified = (*torch_table.lines(), *torch_effects.lines(), *old)
    own = {name.removeprefix("torch.") for name in qualified if name.count(".") == 1}
    return (star_exports("torch") or frozenset()) | own | _ALSO


def _is_near(name: str, other: str) -> bool:
    if abs(len(name) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), None)
    if start is None:
        return True
    rest, end = name[start:], other[start:]
    if len(name) == len(other):
        return rest[1:] == end[1:] or (rest[:2] == end[1::-1] and rest[2:] == end[2:])
    return rest[1:] == end if len(name) > len(other) else rest == end[1:]
