"""Which expressions are certainly numpy arrays of values, and no single integers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, values_given, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Array, Number, Sequence, Tensor

_MAX_DEPTH = 8

#: Functions of numpy whose result has at least one dimension, whatever they are given.
_AT_LEAST_1D = frozenset(
    """arange linspace logspace eye identity stack vstack hstack dstack column_stack concatenate
    atleast_1d atleast_2d tile repeat random.permutation random.multivariate_normal
    append cumsum expand_dims flatnonzero frombuffer fromiter""".split()
)

#: Functions of numpy that give floats: a single one is never taken for a size.
_FLOATS = frozenset(
    """random.normal random.uniform random.rand random.randn random.random random.random_sample
    random.standard_normal random.beta random.gamma random.exponential random.laplace
    random.dirichlet""".split()
)

_FROM_SHAPE = frozenset({"zeros", "ones", "empty", "full"})

_CONVERTS = frozenset({"array", "asarray", "asanyarray", "ascontiguousarray"})

#: Functions of numpy that give an array of as many dimensions as the one they are given.
_KEEPS_SHAPE = frozenset("argsort sort flip".split())

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
    return sources(place)


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
        made = _is_made_by_numpy(name.removeprefix("numpy."), call, facts, depth)
        return () if made else None
    if not isinstance(call.func, ast.Attribute):
        return None
    receiver = call.func.value
    if call.func.attr == "numpy":
        tensor = facts.value(receiver)
        has_dimensions = isinstance(tensor, Tensor) and tensor.ndim not in (None, 0)
        return () if has_dimensions else None
    if call.func.attr in _TOLD_SHAPE and call.args and _tells_dimensions(call.args):
        is_array = isinstance(facts.value(receiver), Array)
        return () if is_array or is_array_of_values(receiver, facts, depth) else None
    return [Place(facts, receiver)] if call.func.attr in _KEEPS_DIMENSIONS else None


def _is_made_by_numpy(function: str, call: ast.Call, facts: Facts, depth: int) -> bool:
    if function in _AT_LEAST_1D or function in _FLOATS:
        return True
    if function in _FROM_SHAPE:
        shape = argument(call, 0, "shape")
        known = shape is not None and isinstance(facts.value(shape), (Number, Sequence))
        return known or (
            function in ("zeros", "ones") and len(call.args) == 1 == len(values_given(call))
        )
    if function in _TOLD_SHAPE:
        return len(call.args) > 1 and _tells_dimensions(call.args[1:])
    if function == "random.randint":
        return argument(call, 2, "size") is not None
    if not call.args or function not in _CONVERTS | _KEEPS_SHAPE:
        return False
    given = call.args[0]
    if function == "argsort" and isinstance(facts.value(given), Array):
        # Of one number it has one dimension, too.
        return True
    return isinstance(facts.value(given), Sequence) or is_array_of_values(given, facts, depth)


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
