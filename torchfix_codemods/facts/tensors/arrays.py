"""Which expressions are certainly numpy arrays of values, and no single integers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.parameters import default_value
from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    whole_number,
)
from torchfix_codemods.facts.libraries import numpy_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources, sources_in_project
from torchfix_codemods.facts.values.array_dtypes import is_array_of_floats
from torchfix_codemods.facts.values.lattice import (
    Array,
    Batch,
    Maybe,
    NoneValue,
    Number,
    Sequence,
    Tensor,
)

_MAX_DEPTH = 8

#: Functions of numpy whose result has at least one dimension, whatever they are given, beside
#: those of which the table says how many.
_AT_LEAST_1D = frozenset(
    """stack vstack hstack dstack concatenate atleast_1d atleast_2d tile repeat random.permutation
    random.multivariate_normal append cumsum flatnonzero frombuffer fromiter""".split()
)

#: Functions of numpy that give floats: a single one is never taken for a size.
_FLOATS = frozenset(
    """random.normal random.uniform random.rand random.randn random.random random.random_sample
    random.standard_normal random.beta random.gamma random.exponential random.laplace
    random.dirichlet""".split()
)

#: So many dimensions has what a function gives of a number as well.
_DIMENSIONS_FOR_ALL = frozenset({"1", "2", "+1"})

_FROM_SHAPE = frozenset({"zeros", "ones", "empty", "full"})

#: Functions of numpy that go along a dimension, where they are told which: of a number they raise.
_ALONG_AXIS = frozenset("roll sort flip".split())

#: Functions of numpy that give an array of as many dimensions as they are told, and methods.
_TOLD_SHAPE = frozenset({"reshape", "transpose"})

#: Methods of an array that keep what has dimensions from becoming a single number.
_KEEPS_DIMENSIONS = frozenset("astype copy transpose flatten ravel clip".split())


def is_array_of_values(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether an expression is certainly an array that torch takes for values.

    The legacy constructors take an integer, also one of numpy or an array without dimensions, for
    a size; ``np.max(labels)`` and ``np.array(n)`` can be such.
    """
    return depth <= _MAX_DEPTH and come_from(
        [Place(facts, node)], lambda place: _before_array(place, depth + 1)
    )


def _before_array(place: Place, depth: int) -> Iterable[Place] | None:
    """None for what may be no such array; else the arrays that one is made of."""
    facts, node = place.facts, place.node
    if place.content:
        return () if _is_where(node, facts) and len(place.content) == 1 else sources(place)
    if isinstance(node, ast.BinOp):
        return () if _is_calculated(node, facts, depth) else None
    if isinstance(node, ast.Subscript):
        if _has_slice(node.slice) and isinstance(facts.value(node), Array):
            return ()
        return [Place(facts, node.value)] if isinstance(node.slice, ast.Slice) else sources(place)
    if isinstance(node, ast.Call):
        made = _before_made(node, facts, depth)
        return sources(place) if made is None else made
    return sources_in_project(place)


def _has_slice(index: ast.expr) -> bool:
    """Whether ``x[:, 0]`` is asked for, of which there is none of a tuple or a size.

    What a slice is taken of has a dimension for it, and keeps it.
    """
    return isinstance(index, ast.Tuple) and any(isinstance(e, ast.Slice) for e in index.elts)


def _is_calculated(node: ast.BinOp, facts: Facts, depth: int) -> bool:
    sides = (node.left, node.right)
    arrays = [side for side in sides if is_array_of_values(side, facts, depth)]
    return arrays != [] and all(
        side in arrays or isinstance(facts.value(side), (Array, Number)) for side in sides
    )


def _before_made(call: ast.Call, facts: Facts, depth: int) -> Iterable[Place] | None:
    name = facts.name(call.func)
    if name is not None:
        return () if _is_made_by_numpy(name, call, facts, depth) else None
    if not isinstance(call.func, ast.Attribute):
        return None
    receiver = call.func.value
    if call.func.attr == "numpy":
        tensor = facts.value(receiver)
        has_dimensions = isinstance(tensor, Tensor) and tensor.ndim not in (None, 0)
        return () if has_dimensions else None
    if call.func.attr == "astype" and is_array_of_floats(facts.inference, call):
        # What has no dimensions is one float there, which is no size.
        return () if isinstance(facts.value(receiver), Array) else [Place(facts, receiver)]
    if call.func.attr in _TOLD_SHAPE and call.args and _tells_dimensions(call.args):
        is_array = isinstance(facts.value(receiver), Array)
        return () if is_array or is_array_of_values(receiver, facts, depth) else None
    return [Place(facts, receiver)] if call.func.attr in _KEEPS_DIMENSIONS else None


def _is_made_by_numpy(name: str, call: ast.Call, facts: Facts, depth: int) -> bool:
    function, dimensions = name.removeprefix("numpy."), numpy_functions.ndim_given(name)
    if function in _AT_LEAST_1D or function in _FLOATS or dimensions in _DIMENSIONS_FOR_ALL:
        return True
    if function in _FROM_SHAPE:
        shape = argument(call, 0, "shape")
        known = shape is not None and isinstance(facts.value(shape), (Number, Sequence))
        # One float, should the shape be (), is no size.
        return known or is_array_of_floats(facts.inference, call)
    if function in _TOLD_SHAPE and len(call.args) > 1:
        return _tells_dimensions(call.args[1:])
    if dimensions == "=size":
        size = argument(call, numpy_functions.place_of_size(name), "size")
        return size is not None and not _may_be_none(size, facts)
    if not call.args or not (dimensions in ("=data", "=input") or function == "argsort"):
        return False
    return _goes_along_axis(function, call) or _has_dimensions(call.args[0], name, facts, depth)


def _may_be_none(size: ast.expr, facts: Facts) -> bool:
    """Whether a size is None, or a parameter that a call may leave out: one number is drawn."""
    bindings = facts.flow.reaching(size) if isinstance(size, ast.Name) else ()
    defaults = (b.node for b in bindings if isinstance(b.node, ast.arg))
    values = (default_value(facts.inference, parameter) for parameter in defaults)
    known = (facts.inference.possible(size), *values)
    return any(isinstance(value, (NoneValue, Maybe)) for value in known)


def _goes_along_axis(function: str, call: ast.Call) -> bool:
    """``np.roll(x, 1, axis=0)``."""
    return function in _ALONG_AXIS and any(
        keyword.arg == "axis" and whole_number(keyword.value) is not None
        for keyword in call.keywords
    )


def _has_dimensions(given: ast.expr, taker: str, facts: Facts, depth: int) -> bool:
    """Whether what a function of numpy keeps the dimensions of has any."""
    value = facts.value(given)
    if taker == "numpy.argsort" and isinstance(value, Array):
        # Of one number it has one dimension, too.
        return True
    if isinstance(value, Sequence) or _is_of_batch(given, facts):
        return True
    return is_array_of_values(given, facts, depth)


def _is_of_batch(node: ast.expr, facts: Facts) -> bool:
    """``batch["image"]`` of torch's own loader: what it makes of each number has a dimension.

    The batch is only asked for its entries: nothing else is put there.
    """
    if not isinstance(node, ast.Subscript) or not isinstance(constant(node.slice), str):
        return False
    batch = facts.value(node.value)
    if not isinstance(node.value, ast.Name) or not isinstance(batch, Batch) or not batch.stacks:
        return False
    uses = facts.names.uses_of(facts.names.scope_of(node.value), node.value.id)
    return all(_is_entry(facts.parent(use), use) for use in uses)


def _is_entry(entry: ast.AST | None, use: ast.Name) -> bool:
    is_asked = isinstance(entry, ast.Subscript) and entry.value is use
    return is_asked and isinstance(getattr(entry, "ctx", None), ast.Load)


def _tells_dimensions(given: list[ast.expr]) -> bool:
    """Whether a shape, or an order of dimensions, has certainly one: ``[-1, n]``, ``-1, n``."""
    if len(given) > 1:
        return not any(isinstance(each, ast.Starred) for each in given[:2])
    if isinstance(given[0], (ast.List, ast.Tuple)):
        return any(not isinstance(each, ast.Starred) for each in given[0].elts)
    return whole_number(given[0]) is not None


def _is_where(node: ast.expr, facts: Facts) -> bool:
    """``np.where(condition)``: a tuple of arrays of indices."""
    return (
        isinstance(node, ast.Call)
        and facts.name(node.func) in ("numpy.where", "numpy.nonzero")
        and len(node.args) == 1
        and not node.keywords
    )
