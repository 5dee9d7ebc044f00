"""Whether a view joins dimensions of a tensor: what only splits them no layout makes fail."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.evaluation.extents import sizes_of
from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import constant, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.shapes import asks_for_shape
from torchfix_codemods.facts.values.lattice import ndim_of
from torchfix_codemods.record import record


@record
class _Dimension:
    """One dimension of a tensor, and what is known of its size."""

    tensor: ast.expr | None = None
    """The tensor that has its size at ``place`` of its ``ndim``."""
    place: int = 0
    ndim: int = 0
    factors: tuple[ast.expr, ...] = ()
    """What is multiplied to its size, where that is written: ``(h, w)`` of ``h * w``."""
    width: int | None = None
    """Its size, where that is known."""


_ONE = _Dimension(width=1)


def joins_none(view: ast.Call, viewed: ast.expr, facts: Facts) -> bool:
    """Whether a view certainly joins no dimensions: ``x.view(x.size(0), 1, -1)`` of a matrix.

    Args:
        view: the call of ``view``.
        viewed: the tensor.
        facts: the facts of the module.
    """
    dimensions = _dimensions_of(viewed, facts)
    wanted = _sizes_given(view)
    if dimensions is None or wanted is None:
        return False
    left = [dimension for dimension in dimensions if dimension.width != 1]
    sizes = [size for size in wanted if whole_number(size) != 1]
    for _ in range(2):
        left, sizes = _without_same(left, sizes, facts)
        left.reverse()
        sizes.reverse()
    return len(left) <= 1


def adds_ones(view: ast.Call) -> bool:
    """Whether a view asks for all elements in one dimension, beside others of 1: ``(1, -1)``."""
    numbers = [whole_number(size) for size in _sizes_given(view) or ()]
    return len(numbers) > 1 and numbers.count(-1) == 1 and numbers.count(1) == len(numbers) - 1


def sizes_beside_ones(view: ast.Call) -> int | None:
    """How many sizes a view asks for beside dimensions of 1, one of them -1; None without any."""
    numbers = [whole_number(size) for size in _sizes_given(view) or ()]
    if 1 not in numbers or -1 not in numbers:
        return None
    return len(numbers) - numbers.count(1)


def _sizes_given(view: ast.Call) -> list[ast.expr] | None:
    """The sizes that a view asks for, where they are written one by one."""
    only = view.args[0] if len(view.args) == 1 else None
    sizes = only.elts if isinstance(only, (ast.Tuple, ast.List)) else view.args
    return None if any(isinstance(size, ast.Starred) for size in sizes) else list(sizes)


def _without_same(
    dimensions: list[_Dimension], sizes: list[ast.expr], facts: Facts
) -> tuple[list[_Dimension], list[ast.expr]]:
    """What is left of both behind the dimensions that stay, or are only split."""
    while dimensions:
        taken = next(
            (n for n in range(1, len(sizes) + 1) if _are_of(sizes[:n], dimensions[0], facts)), 0
        )
        if not taken:
            break
        dimensions, sizes = dimensions[1:], sizes[taken:]
    return dimensions, sizes


def _are_of(sizes: Sequence[ast.expr], dimension: _Dimension, facts: Facts) -> bool:
    """Whether sizes are what a dimension has, or is split into."""
    if len(sizes) == 1:
        if dimension.width is not None and whole_number(sizes[0]) == dimension.width:
            return True
        if dimension.tensor is not None and _is_size(
            sizes[0], dimension.tensor, dimension.place, dimension.ndim, facts
        ):
            return True
    factors = [factor for size in sizes for factor in _factors(size)]
    if not dimension.factors or len(factors) != len(dimension.factors):
        return False
    for wanted in dimension.factors:
        same = next((factor for factor in factors if _is_same_size(factor, wanted, facts)), None)
        if same is None:
            return False
        factors.remove(same)
    return True


def _factors(size: ast.expr) -> tuple[ast.expr, ...]:
    if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult):
        return (*_factors(size.left), *_factors(size.right))
    return (size,)


def _is_same_size(one: ast.expr, other: ast.expr, facts: Facts) -> bool:
    number = whole_number(one)
    if number is not None:
        return number > 0 and number == whole_number(other)
    return _is_same(one, other, facts)


def _dimensions_of(node: ast.expr, facts: Facts) -> list[_Dimension] | None:
    """The dimensions of a tensor; None where not even their number is known."""
    found = _written_dimensions(node, facts)
    ndim = ndim_of(facts.value(node))
    if found is not None and ndim in (None, len(found)):
        return found
    if ndim is None:
        return None
    widths = sizes_of(facts.inference, node)
    if widths is None or len(widths) != ndim:
        widths = (None,) * ndim
    return [_Dimension(node, place, ndim, width=width) for place, width in enumerate(widths)]


def _written_dimensions(node: ast.expr, facts: Facts) -> list[_Dimension] | None:
    """The dimensions that follow from how a tensor is made: by a view, or by taking parts."""
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or ()
        if len(made) != 1 or may_be_reshaped(facts.inference, node):
            return None
        return None if isinstance(made[0], ast.Name) else _written_dimensions(made[0], facts)
    if isinstance(node, ast.Subscript):
        return _of_parts(node, facts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        sizes = _sizes_given(node) if node.func.attr in ("view", "reshape") else None
        if sizes is None or not asks_for_shape(node, facts):
            return None
        return [_Dimension(factors=_factors(size), width=_width(size)) for size in sizes]
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        # Where one of the sides is spread, a view by its own sizes fails in any layout.
        sides = [_written_dimensions(side, facts) for side in (node.left, node.right)]
        ndim = ndim_of(facts.value(node))
        return next((side for side in sides if side is not None and len(side) == ndim), None)
    return None


def _width(size: ast.expr) -> int | None:
    number = whole_number(size)
    return number if number is not None and number > 0 else None


def _of_parts(node: ast.Subscript, facts: Facts) -> list[_Dimension] | None:
    """The dimensions of ``x[:, 1:3]`` and ``x[:, None]``."""
    left = _dimensions_of(node.value, facts)
    if left is None:
        return None
    found = []
    for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        if constant(part) is None:
            found.append(_ONE)
        elif isinstance(part, ast.Slice) and left:
            found.append(_cut(left.pop(0), part))
        elif whole_number(part) is not None and left:
            left.pop(0)
        else:
            return None
    return found + left


def _cut(dimension: _Dimension, part: ast.Slice) -> _Dimension:
    """What a slice leaves of a dimension."""
    if not (part.lower or part.upper or part.step):
        return dimension
    lower = 0 if part.lower is None else whole_number(part.lower)
    upper = None if part.upper is None else whole_number(part.upper)
    if part.step is not None or lower is None or upper is None or not 0 <= lower < upper:
        return _Dimension()
    return _Dimension(width=upper - lower)


def _is_size(size: ast.expr, viewed: ast.expr, place: int, ndim: int, facts: Facts) -> bool:
    """Whether an expression is ``x.size(place)``, or a name for it."""
    if isinstance(size, ast.Name):
        bindings = facts.flow.reaching(size)
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
            return False
        value, path = bindings[0].value, bindings[0].path
        if path:
            holder = _asked(value)
            return path == (place,) and holder is not None and _is_same(holder, viewed, facts)
        return not isinstance(value, ast.Name) and _is_size(value, viewed, place, ndim, facts)
    if isinstance(size, ast.Subscript):
        holder, index = _asked(size.value), whole_number(size.slice)
    elif isinstance(size, ast.Call) and len(size.args) == 1 and not size.keywords:
        is_asked = isinstance(size.func, ast.Attribute) and size.func.attr == "size"
        holder = size.func.value if is_asked and isinstance(size.func, ast.Attribute) else None
        index = whole_number(size.args[0])
    else:
        return False
    return index in (place, place - ndim) and holder is not None and _is_same(holder, viewed, facts)


def _asked(sizes: ast.expr) -> ast.expr | None:
    """``x`` of ``x.size()`` and ``x.shape``."""
    method = sizes.func if isinstance(sizes, ast.Call) and not sizes.args else sizes
    wanted = "size" if isinstance(sizes, ast.Call) else "shape"
    is_asked = isinstance(method, ast.Attribute) and method.attr == wanted
    return method.value if is_asked and isinstance(method, ast.Attribute) else None


def _is_same(one: ast.expr, other: ast.expr, facts: Facts) -> bool:
    """Whether two names hold the same tensor."""
    return (
        isinstance(one, ast.Name)
        and isinstance(other, ast.Name)
        and one.id == other.id
        and set(facts.flow.reaching(one)) == set(facts.flow.reaching(other))
    )
