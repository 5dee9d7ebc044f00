"""Numbers written down that a type of whole numbers cannot hold."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import numbers_in
from torchfix_codemods.facts.libraries.torch_names import last_part

_TOO_LARGE = (
    "{1} is no number that a {0} can hold, which raises today: torch 1.13 and older took it for {2}"
)

#: The classes whose numbers have limits: how many bits, and the lowest number.
_BITS = {
    "torch.ByteTensor": (8, 0),
    "torch.CharTensor": (8, -(1 << 7)),
    "torch.ShortTensor": (16, -(1 << 15)),
    "torch.IntTensor": (32, -(1 << 31)),
}


def about_wrapped(call: ast.Call, name: str | None) -> str | None:
    """What is said of ``torch.ByteTensor([300])``, given the qualified name of what is called."""
    if name not in _BITS:
        return None
    wrapped = _wrapped(call, *_BITS[name])
    return None if wrapped is None else _TOO_LARGE.format(last_part(name), *wrapped)


def _wrapped(call: ast.Call, bits: int, lowest: int) -> tuple[int, int] | None:
    """The first number written down that a type cannot hold, and what became of it."""
    # A number that is given alone is a size.
    given = call.args[0] if len(call.args) == 1 else None
    numbers = numbers_in(given) if isinstance(given, ast.List) else None
    size = 1 << bits
    # A type without a sign takes the negative numbers that it has room for.
    least = lowest or 1 - size
    for number in numbers or ():
        if isinstance(number, int) and not least <= number < lowest + size:
            return number, (number - lowest) % size + lowest
    return None
