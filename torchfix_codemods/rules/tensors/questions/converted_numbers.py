"""What becomes of numbers in a constructor: ``torch.Tensor([n]).long()``, floats first, and
``torch.ByteTensor([300])``, which are too large."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.tensors.construction import Factory, factory_for
from torchfix_codemods.facts.language.arguments import numbers_in
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import (
    Chain,
    converted_by,
    dtype_of_cast,
    with_cast,
)
from torchfix_codemods.facts.tensors.shapes import is_length

#: The numbers that stay what they are on the way through a float to each of these types.
_SAME = {
    "long": range(-(2**24), 2**24 + 1),
    "int": range(-(2**24), 2**24 + 1),
    "short": range(-(2**15), 2**15),
    "char": range(-(2**7), 2**7),
    "byte": range(2**8),
}

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


def made_at_once(
    chain: Chain, factory: Factory, dtype: str, facts: Facts
) -> tuple[Chain, Factory | None]:
    """How to make the type right away that numbers are converted to, which they may be already.

    Args:
        chain: a constructor that is given a list or an array.
        factory: what makes the tensor.
        dtype: the type that it is of: ``torch.long``.
        facts: the facts of the module.

    Returns:
        The calls to replace and what to write for them. Where the numbers may not be the same, and
        two types would stand there, that is None.
    """
    method = converted_by(chain, facts)
    if method is None:
        return chain, factory
    makes_floats = dtype == "torch.float"
    is_same = makes_floats and _is_same(chain.calls[0].args[0], method, facts)
    if dtype_of_cast(method) == dtype or is_same:
        whole = with_cast(chain, facts)
        return whole, factory_for(dtype_of_cast(method), whole)
    return chain, None if makes_floats and factory.dtype is not None else factory


def filled_at_once(chain: Chain, facts: Facts, makes_floats: bool) -> Chain | None:
    """The calls to replace where memory becomes another type when it is filled, or before that.

    Args:
        chain: a constructor.
        facts: the facts of the module.
        makes_floats: whether it is one of floats, and not of whatever type a tensor has.

    Returns:
        The chain with the cast where nothing is lost on the way, and else as it is. None where
        floats would be made of what fills them only to become another type.
    """
    if chain.cast is not None or chain.given in ("list", "range", "array"):
        return chain
    method = converted_by(chain, facts)
    if chain.fill is None and method is None:
        return None if converted_by(chain, facts, filled=True) not in (None, "float") else chain
    if method in (None, "type_as") or chain.fill in ("randn", "rand", "randint"):
        return chain
    if chain.fill == "full":
        if not makes_floats:
            return chain
        value = chain.calls[-1].args[0]
        return with_cast(chain, facts) if _is_same(value, method, facts) else None
    return with_cast(chain, facts)


def _is_same(values: ast.expr, method: str, facts: Facts) -> bool:
    """Whether a list, or what fills memory, holds whole numbers alone that both types hold."""
    if method not in _SAME:
        return False
    if isinstance(values, ast.BinOp) and isinstance(values.op, (ast.Add, ast.Sub)):
        return all(_is_same(side, method, facts) for side in (values.left, values.right))
    if isinstance(values, (ast.List, ast.Tuple)):
        return all(_is_same(element, method, facts) for element in values.elts)
    if isinstance(values, ast.ListComp):
        return _is_same(values.elt, method, facts)
    numbers = numbers_in(values)
    if numbers is None:
        return method in ("long", "int") and is_length(values, facts)
    return all(type(number) is int and number in _SAME[method] for number in numbers)


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
