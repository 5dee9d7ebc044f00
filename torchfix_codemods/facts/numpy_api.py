"""What numpy's functions return, as far as it is certain; a numpy scalar counts as an array."""

from __future__ import annotations

from collections.abc import Sequence as Arguments

from torchfix_codemods.facts.values import (
    UNKNOWN,
    Array,
    Foreign,
    NoneValue,
    Number,
    NumberKind,
    Sequence,
    Text,
    Value,
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


def call_result(name: str, arguments: Arguments[Value], keywords: frozenset[str | None]) -> Value:
    """What a function of numpy returns.

    Args:
        name: its qualified name.
        arguments: the values of the positional arguments.
        keywords: the names of the keywords; None for ``**options``.
    """
    module, _, function = name.rpartition(".")
    if module == "numpy.random":
        return random_result(function, len(arguments), keywords)
    if module != "numpy":
        return UNKNOWN
    if function in _MAKERS:
        return Array()
    if function in _OPERATIONS and arguments and all(map(_is_numeric, arguments)):
        if function == "where" and len(arguments) == 1:
            return Sequence(Array())
        return Array()
    return UNKNOWN


def random_result(function: str, arguments: int, keywords: frozenset[str | None]) -> Value:
    """What a function of ``numpy.random``, or a method of a generator, returns."""
    if function in _GENERATORS:
        return GENERATOR
    if function in _RANDOM_NOTHING:
        return NoneValue()
    if function in _RANDOM_ARRAY:
        return Array()
    if function in _RANDOM_SIZE:
        if None in keywords:
            return UNKNOWN
        has_size = "size" in keywords or arguments > _RANDOM_SIZE[function]
        kind: NumberKind = "int" if function in _RANDOM_INTEGERS else "float"
        return Array() if has_size else Number(kind)
    return UNKNOWN


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
