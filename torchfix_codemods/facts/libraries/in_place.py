"""In-place methods of tensors, and what of their arguments a graph could come from."""

from __future__ import annotations

import ast

#: In-place methods that only ever write numbers.
_WRITES_NUMBERS = frozenset(
    """zero_ fill_ normal_ uniform_ random_ bernoulli_ resize_ resize_as_ squeeze_ unsqueeze_ t_
    transpose_ clamp_ exponential_ log_normal_ cauchy_ geometric_ detach_""".split()
)

#: Methods that are told by their first arguments where to write: how many those are.
_PLACES = {
    "scatter_": 2,
    "scatter_add_": 2,
    "index_fill_": 2,
    "index_copy_": 2,
    "index_add_": 2,
    "masked_fill_": 1,
    "masked_scatter_": 1,
}

_PLACES_BY_NAME = frozenset({"dim", "index", "mask"})


def may_write_graph(method: ast.Attribute) -> bool:
    """Whether ``x.method`` is an in-place method that may write more than numbers."""
    in_place = method.attr.endswith("_") and not method.attr.startswith("_")
    return in_place and method.attr not in _WRITES_NUMBERS


def written_by(call: ast.Call) -> list[ast.expr]:
    """What a call of an in-place method writes, without the indices and masks that tell where."""
    places = _PLACES.get(call.func.attr, 0) if isinstance(call.func, ast.Attribute) else 0
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        places = 0
    named = [k.value for k in call.keywords if not places or k.arg not in _PLACES_BY_NAME]
    return [*call.args[places:], *named]
