"""What numpy's functions return, as far as it is certain; a numpy scalar counts as an array."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from torchfix_codemods.facts.values.lattice import (
    UNKNOWN,
    Array,
    Foreign,
    NoneValue,
    Number,
    Sequence,
    Tensor,
    Text,
    Value,
)


class Given(NamedTuple):
    """What a call passes, by its values."""

    positional: list[Value]
    named: dict[str | None, Value]
    """None for ``**options``."""


def given(call: ast.Call, value: Callable[[ast.AST], Value]) -> Given:
    """What a call passes, each as ``value`` has it."""
    return Given(
        [UNKNOWN if isinstance(a, ast.Starred) else value(a) for a in call.args],
        {keyword.arg: value(keyword.value) for keyword in call.keywords},
    )


#: A random generator: its methods are the functions of ``numpy.random``.
GENERATOR = Foreign("numpy.random.RandomState")

_GENERATORS = frozenset({"RandomState", "default_rng", "Generator"})

#: Functions that make an array of whatever they are given.
_MAKERS = frozenset(
    """array asarray ascontiguousarray asfortranarray atleast_1d atleast_2d zeros ones empty full
    arange linspace logspace eye identity tri zeros_like ones_like empty_like full_like concatenate
    stack vstack hstack dstack column_stack append tile fromstring frombuffer
    loadtxt genfromtxt fromiter float16 float32 float64 int8 int16 int32 int64 uint8 uint16
    bool_ bincount digitize pad rot90 histogram2d kron outer cov corrcoef
    hanning hamming blackman""".split()
)

#: Functions that give an array for arrays and numbers, but hand other objects' own results on.
_OPERATIONS = frozenset(
    """abs absolute fabs exp expm1 log log2 log10 log1p sqrt square sin cos tan arcsin arccos arctan
    arctan2 sinh cosh tanh sign floor ceil round rint trunc clip power add subtract multiply divide
    maximum minimum fmax fmin mod dot matmul inner sum prod mean std var min max amin amax median
    percentile argmax argmin cumsum cumprod diff sort transpose reshape ravel squeeze expand_dims
    swapaxes moveaxis rollaxis flip fliplr flipud roll take choose where isnan isinf isfinite
    logical_and logical_or logical_not logical_xor equal not_equal greater less any all
    nan_to_num interp trace diag triu tril cross argsort argwhere repeat insert delete""".split()
)

_RANDOM_SIZE: dict[str, int] = {
    # The place of `size` among the positional arguments.
    "randint": 2,
    "normal": 2,
    "uniform": 2,
    "random_integers": 2,
    "binomial": 2,
    "beta": 2,
    "gamma": 2,
    "laplace": 2,
    "exponential": 1,
    "poisson": 1,
    "random_sample": 0,
    "random": 0,
    "rand": 0,
    "randn": 0,
}

_RANDOM_INTEGERS = frozenset("randint random_integers binomial poisson".split())
_RANDOM_NOTHING = frozenset({"seed", "shuffle", "set_state"})
_RANDOM_ARRAY = frozenset({"permutation", "dirichlet", "multinomial", "multivariate_normal"})


def call_result(name: str, passed: Given) -> Value:
    """What a function of numpy returns, by its qualified name."""
    module, _, function = name.rpartition(".")
    if module == "numpy.random":
        return random_result(function, passed)
    if module != "numpy":
        return UNKNOWN
    if function in _MAKERS:
        return Array()
    arguments = passed.positional
    if function in _OPERATIONS and arguments and all(map(_is_numeric, arguments)):
        if function == "where" and len(arguments) == 1:
            return Sequence(Array())
        return Array()
    return UNKNOWN


def random_result(function: str, passed: Given) -> Value:
    """What a function of ``numpy.random``, or a method of a generator, returns."""
    if function in _GENERATORS:
        return GENERATOR
    if function in _RANDOM_NOTHING:
        return NoneValue()
    if function in _RANDOM_ARRAY:
        return Array()
    if function in _RANDOM_SIZE and None not in passed.named:
        if "size" in passed.named or len(passed.positional) > _RANDOM_SIZE[function]:
            return Array()
        if any(map(_may_have_elements, (*passed.positional, *passed.named.values()))):
            # One number for each of them.
            return UNKNOWN
        return Number("int" if function in _RANDOM_INTEGERS else "float")
    return UNKNOWN


def _may_have_elements(value: Value) -> bool:
    return isinstance(value, (Array, Sequence, Tensor))


def method_result(method: str) -> Value:
    """What a method of an array returns."""
    if method == "tolist":
        return Sequence()
    if method == "item":
        return Number()
    if method in ("tobytes", "tostring", "dumps"):
        return Text()
    return NoneValue() if method in ("fill", "sort", "tofile", "resize", "itemset") else Array()


def _is_numeric(value: Value) -> bool:
    if isinstance(value, Sequence):
        return _is_numeric(value.element)
    return isinstance(value, (Array, Number))
