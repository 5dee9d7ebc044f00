"""Numbers that become floats first, and another type at once: ``torch.Tensor([n]).long()``."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.tensors.construction import Factory, factory_for
from torchfix_codemods.facts.language.arguments import numbers_in
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
