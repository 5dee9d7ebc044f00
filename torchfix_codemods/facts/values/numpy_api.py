"""What numpy's functions return, as far as it is certain; a numpy scalar counts as an array."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from torchfix_codemods.facts.libraries import numpy_functions
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Array,
    Foreign,
    NoneValue,
    Nothing,
    Number,
    NumberKind,
    Sequence,
    Tensor,
    Text,
    Value,
)


class Given(NamedTuple):
    """What a call passes, by its values."""

    positional: list[Value]
    named: dict[str | None, Value]
    """With a None for ``*values`` and ``**options``."""


def given(call: ast.Call, value: Callable[[ast.AST], Value]) -> Given:
    """What a call passes, each as ``value`` has it."""
    starred = [a for a in call.args if isinstance(a, ast.Starred)]
    return Given(
        [UNKNOWN if isinstance(a, ast.Starred) else value(a) for a in call.args],
        {keyword.arg: value(keyword.value) for keyword in call.keywords}
        | dict.fromkeys((None for _ in starred), UNKNOWN),
    )


#: A random generator: its methods are the functions of ``numpy.random``.
GENERATOR = Foreign("numpy.random.RandomState")

_RESULTS: dict[str, Value] = {
    "array": Array(),
    "between": Array(),
    "generator": GENERATOR,
    "list": Sequence(),
    "nothing": NoneValue(),
    "number": Number(),
    "text": Text(),
}


def call_result(name: str, passed: Given) -> Value:
    """What a function of numpy returns, by its qualified name."""
    gives = numpy_functions.gives(name)
    arguments = passed.positional
    if name == "numpy.where" and len(arguments) == 1 and not passed.named:
        # The places where it holds, whatever the condition is: of a tensor, too, arrays.
        return Sequence(Array())
    if gives == "numbers":
        if any(isinstance(argument, Nothing) for argument in arguments):
            # What a loop makes of itself is told when it is known what it starts from.
            return NOTHING
        return Array() if arguments and all(map(_is_numeric, arguments)) else UNKNOWN
    if gives == "between" and any(isinstance(argument, Tensor) for argument in arguments[:2]):
        return UNKNOWN
    if gives in ("int", "float"):
        return _drawn(name, passed, "int" if gives == "int" else "float")
    return _RESULTS.get(gives, UNKNOWN)


def random_result(function: str, passed: Given) -> Value:
    """What a method of a generator returns: what the function of ``numpy.random`` does."""
    return call_result(f"numpy.random.{function}", passed)


def _drawn(name: str, passed: Given, kind: NumberKind) -> Value:
    if None in passed.named:
        return UNKNOWN
    if "size" in passed.named or len(passed.positional) > numpy_functions.place_of_size(name):
        return Array()
    if any(map(_may_have_elements, (*passed.positional, *passed.named.values()))):
        # One number for each of them.
        return UNKNOWN
    return Number(kind)


def _may_have_elements(value: Value) -> bool:
    return isinstance(value, (Array, Sequence, Tensor))


def method_result(method: str) -> Value:
    """What a method of an array returns; nothing is known of one that arrays do not have."""
    return _RESULTS.get(numpy_functions.gives(f"numpy.ndarray.{method}"), UNKNOWN)


def _is_numeric(value: Value) -> bool:
    if isinstance(value, Sequence):
        return _is_numeric(value.element)
    return isinstance(value, (Array, Number))
