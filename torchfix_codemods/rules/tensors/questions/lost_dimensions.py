"""Reductions whose dimension is asked for below: torch 0.1 kept it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.libraries.kept_dimensions import gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.tensors.reductions import (
    Reduced,
    dim_of,
    function_of,
    of_same_shape,
    reduced,
    reduced_beside,
    source_of,
)
from torchfix_codemods.facts.values.lattice import Tensor


def expanded(facts: Facts, call: ast.Call) -> tuple[ast.Call, ...]:
    """The reductions of ``x.sum(1).expand_as(x)``, whose dimension is needed there.

    No tensor fits without: what is left of its shape has moved by one dimension. The first of all
    is no such dimension, nor are the first ones. What it is calculated with gives none back:
    ``(scale / x.sum(1)).expand_as(x)``.
    """
    function, target = call.func, _expanded_to(call)
    if target is None or not isinstance(function, ast.Attribute):
        return ()
    if function.attr in method_names(facts.names):
        return ()
    source = source_of(facts, function.value)
    like = reduced(facts, target)
    beside = reduced_beside(facts, source, like.tensor) if source is function.value else None
    found = beside or reduced(facts, source)
    if source is not function.value and not _is_unchanged(facts, found.tensor, like.tensor):
        return ()
    is_alike = ast.dump(found.tensor) == ast.dump(like.tensor)
    if like.calls or not (is_alike or _has_shape_of(facts, found.tensor, like.tensor)):
        return ()
    dims = set(found.dims)
    # The last one alone is not the first one, too, where there are rows.
    is_last = found.dims == (-1,) and _dimensions_before(facts, found) != 1
    is_certain = is_last or (all(dim >= 0 for dim in dims) and len(dims) == len(found.dims))
    if dims in ({1}, {-1}) and come_from([Place(facts, like.tensor)], _before_one_row):
        return ()
    return found.calls if is_certain and dims != set(range(len(dims))) else ()


def _before_one_row(place: Place) -> Iterable[Place] | None:
    """None for what is no batch of one, which fits without its lost dimension: ``x.unsqueeze(0)``.

    Models and what is calculated give as many rows as they are given.
    """
    facts, node = place.facts, place.node
    before = sources(place)
    if before is not None or place.content or not isinstance(node, ast.Call) or not node.args:
        return before
    name = facts.name(node.func)
    if name is None and isinstance(node.func, ast.Attribute):
        if node.func.attr == "unsqueeze" and whole_number(node.args[0]) == 0:
            return ()
        if facts.is_tensor(node.func.value):
            return None
    is_wrapped = name == "torch.autograd.Variable"
    return [Place(facts, node.args[0])] if is_wrapped or name is None else None


def _has_shape_of(facts: Facts, node: ast.expr, like: ast.expr) -> bool:
    """Whether a name holds what was calculated of ``like`` and of what is as large.

    ``shifted = (x - x.max(1)[0].expand_as(x)).exp()``: what is expanded to x has its shape.
    """
    made = source_of(facts, node)
    calculated = reduced(facts, made)
    tensor = calculated.tensor
    if made is node or calculated.calls or not isinstance(tensor, ast.BinOp):
        return False
    if not isinstance(tensor.op, ELEMENTWISE):
        return False
    sides = [tensor.left, tensor.right]
    of_it = [side for side in sides if _is_unchanged(facts, side, like)]
    others = [target for side in sides if (target := _expanded_to(side)) is not None]
    return len(of_it) == len(others) == 1 and _is_unchanged(facts, others[0], like)


def _expanded_to(node: ast.expr) -> ast.expr | None:
    """``x`` of ``….expand_as(x)`` and ``….expand(*x.size())``."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(function, ast.Attribute):
        return None
    if len(node.args) != 1 or node.keywords:
        return None
    target = node.args[0]
    if function.attr == "expand":
        return _measured(target)
    return target if function.attr == "expand_as" and not isinstance(target, ast.Starred) else None


def _is_unchanged(facts: Facts, before: ast.expr, now: ast.expr) -> bool:
    """Whether two names, the same as text, hold the same."""
    if not isinstance(before, ast.Name) or not isinstance(now, ast.Name) or before.id != now.id:
        return False
    return [*facts.flow.reaching(before)] == [*facts.flow.reaching(now)]


def lost_in_chain(facts: Facts, call: ast.Call) -> tuple[ast.Call, ...]:
    """The reductions of ``x.sum(2).sum(3)`` of four dimensions, of which the last has no such one.

    Args:
        facts: the module.
        call: the last reduction.
    """
    if dim_of(facts, call) is None or _goes_on(facts, call):
        return ()
    above = facts.parent(call)
    is_pair = gives_places(function_of(call))
    found = reduced(facts, above if is_pair and isinstance(above, ast.Subscript) else call)
    if len(found.calls) < 2 or call not in found.calls:
        return ()
    left = _dimensions_before(facts, found)
    if left is None:
        return ()
    for dim in reversed(found.dims):
        if dim >= left:
            return found.calls
        left -= 1
    return ()


def lost_before_squeeze(facts: Facts, call: ast.Call) -> Reduced | None:
    """The reductions of ``x.max(2)[0].squeeze(2)`` of three dimensions, of which two are left."""
    function = call.func
    if call.keywords or not isinstance(function, ast.Attribute) or function.attr != "squeeze":
        return None
    given = (
        [*call.args] if facts.name(function) == "torch.squeeze" else [function.value, *call.args]
    )
    dim = whole_number(given[-1])
    if len(given) != 2 or dim is None:
        return None
    found = reduced(facts, given[0])
    before = _dimensions_before(facts, found)
    if before is None or before - len(found.calls) > dim:
        return None
    return found if dim in {each % before for each in found.dims} else None


def _dimensions_before(facts: Facts, found: Reduced) -> int | None:
    """How many dimensions there were, where that is certain and each is reduced but once."""
    value = facts.value(found.tensor)
    if not isinstance(value, Tensor) or value.ndim is None:
        return None
    dims = {dim % value.ndim for dim in found.dims if -value.ndim <= dim < value.ndim}
    return value.ndim if len(dims) == len(found.dims) else None


def _measured(node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.size()`` and ``*x.size()``."""
    node = node.value if isinstance(node, ast.Starred) else node
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    is_size = isinstance(node.func, ast.Attribute) and node.func.attr == "size"
    return node.func.value if isinstance(node.func, ast.Attribute) and is_size else None


def _goes_on(facts: Facts, call: ast.Call) -> bool:
    """Whether what a reduction gives is reduced again, or expanded."""
    node: ast.AST | None = call
    while True:
        above = facts.parent(node) if node is not None else None
        if isinstance(above, ast.Subscript) and above.value is node:
            node = above
            continue
        user = facts.parent(above) if isinstance(above, ast.Attribute) else above
        if isinstance(above, ast.Attribute) and above.attr == "data":
            node = above
        elif isinstance(user, ast.Call):
            if dim_of(facts, user) is not None or expanded(facts, user):
                return True
            if of_same_shape(facts, user) is not node:
                return False
            node = user
        else:
            return False
