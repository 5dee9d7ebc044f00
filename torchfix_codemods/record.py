"""Classes of plain data, made faster than dataclasses are.

A run on one small file imports a hundred of them, and :func:`dataclasses.dataclass` writes and
compiles six methods for each: a fifth of such a run. Here only ``__init__`` is written, when the
first object is made, and type checkers alone keep a record from being changed.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from torchfix_codemods.initializer import Initializer

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda decorator: decorator


_C = TypeVar("_C", bound=type)


def tuples(value: Any) -> Any:
    """What a record held before it was written as JSON, which has lists alone."""
    return tuple(map(tuples, value)) if isinstance(value, list) else value


@overload
def record(cls: _C) -> _C: ...


@overload
def record(*, eq: bool = True, kw_only: bool = False) -> Callable[[_C], _C]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def record(cls: Any = None, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class a dataclass whose objects stay as they are made.

    Args:
        cls: the class; its fields are those that :func:`dataclasses.dataclass` would find.
        eq: whether objects with equal fields are equal, and their hashes.
        kw_only: whether fields are given by keyword only.

    Returns:
        the same class; without one, a decorator for it.
    """
    if cls is None:
        return lambda cls: _recorded(cls, eq, kw_only)
    return _recorded(cls, eq, kw_only)


def _recorded(cls: type, eq: bool, kw_only: bool) -> type:
    if cls.__doc__ is None:
        # Else the signature is taken apart to make one.
        cls.__doc__ = cls.__name__
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    methods: dict[str, Any] = {"__init__": Initializer(), "__repr__": _repr}
    if eq and "__eq__" not in vars(cls):
        methods |= _comparison([f.name for f in dataclasses.fields(cls) if f.compare])
    for name, method in methods.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    return cls


def _comparison(names: list[str]) -> dict[str, Callable[..., Any]]:
    """The methods that compare objects by some of their attributes."""
    values = _values(names)

    def __eq__(self: Any, other: Any) -> Any:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return operator.attrgetter(*names)
    # Of a single name `attrgetter` gives the value alone, and NaN does not equal itself.
    return lambda self: tuple(getattr(self, name) for name in names)


def _repr(self: Any) -> str:
    fields = (f for f in dataclasses.fields(self) if f.repr)
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields)
    return f"{type(self).__qualname__}({shown})"
