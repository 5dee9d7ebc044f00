"""How many dimensions an array of numpy has, of which a tensor is made."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries import numpy_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Array, Number
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY, at_least
from torchfix_codemods.rules.questions.listed_elements import elements

#: What makes a tensor of an array as it is.
_OF_DATA = frozenset({"torch.tensor", "torch.as_tensor"})
#: Lists in lists are read so deep.
_MAX_DEPTH = 5

_Shown = Callable[[ast.expr], frozenset[int]]


def array_taken(facts: Facts, call: ast.Call) -> ast.expr | None:
    """``x`` of ``torch.from_numpy(x)``, and of ``torch.tensor(x)`` where that is an array.

    Args:
        facts: the facts of the module.
        call: any call.

    Returns:
        the array, of which the tensor has the dimensions; None of any other call.
    """
    name = facts.name(call.func) or ""
    if is_opaque(call) or not call.args:
        return None
    if name == "torch.from_numpy":
        return call.args[0]
    is_made = name in _OF_DATA or (
        name.removeprefix("torch.") in torch_api.LEGACY_TYPES and len(call.args) == 1
    )
    return call.args[0] if is_made and isinstance(facts.value(call.args[0]), Array) else None


def after_numpy(facts: Facts, call: ast.Call, shown: _Shown) -> frozenset[int]:
    """The numbers of dimensions of the array that a call gives.

    Args:
        facts: the facts of the module.
        call: the call of a function, or of a method of an array.
        shown: tells the numbers of dimensions of an expression that is an array.
    """
    if is_opaque(call):
        return ANY
    name, method = facts.name(call.func), call.func
    array, given = (call.args[0] if call.args else None), call.args[1:]
    if name is None and isinstance(method, ast.Attribute):
        name, array, given = f"numpy.ndarray.{method.attr}", method.value, call.args
    rank = numpy_functions.ndim_given(name or "")
    if rank == "=size":
        size = argument(call, numpy_functions.place_of_size(name or ""), "size")
        size = argument(call, 0, "shape") if size is None else size
        return ANY if size is None else _as_large(facts, size)
    if name is None or array is None:
        return ANY
    if rank == "=sizes":
        return frozenset({min(len(call.args), MANY)})
    listed = _listed(call, given)
    if name.endswith(".transpose") and len(listed) > 1:
        return frozenset({min(len(listed), MANY)})
    # Of a matrix, which is no array, these give another matrix.
    is_array = not name.startswith("numpy.ndarray.") or isinstance(facts.value(array), Array)
    if rank == "=shape" and listed and (is_array or len(listed) > 1):
        return frozenset({min(len(listed), MANY)})
    if rank.isdigit() and is_array:
        return frozenset({int(rank)})
    if rank == "=data":
        return _of_data(facts, array, shown)
    if rank in ("=input", "+1"):
        return frozenset(min(n + (rank == "+1"), MANY) for n in shown(array))
    return ANY


def is_reshaped_array(facts: Facts, name: ast.Name) -> bool:
    """Whether an array gets another shape in place: ``x.shape = 3, 4``, ``x.resize(12)``.

    Args:
        facts: the facts of the module.
        name: any use of its name.
    """
    users = map(facts.parent, facts.names.uses_of(facts.names.scope_of(name), name.id))
    attributes = [user for user in users if isinstance(user, ast.Attribute)]
    return any(
        isinstance(user.ctx, ast.Store) if user.attr == "shape" else user.attr == "resize"
        for user in attributes
    )


def _as_large(facts: Facts, size: ast.expr) -> frozenset[int]:
    """As many dimensions as a size has parts: ``(3, n)``, and one of a number."""
    made = facts.assigned(size) if isinstance(size, ast.Name) else None
    size = made[0] if made is not None and len(made) == 1 else size
    if isinstance(size, (ast.Tuple, ast.List)):
        is_open = any(isinstance(part, ast.Starred) for part in size.elts)
        return ANY if is_open else frozenset({min(len(size.elts), MANY)})
    return frozenset({1}) if isinstance(facts.value(size), Number) else ANY


def _listed(call: ast.Call, given: list[ast.expr]) -> list[ast.expr]:
    """The sizes of ``reshape(3, n)`` and ``reshape((3, n))``, or the axes; none that are open."""
    if call.keywords:
        return []
    only = given[0] if given else None
    if isinstance(only, (ast.Tuple, ast.List)):
        given = only.elts
    elif len(given) == 1 and type(constant(given[0])) is not int:
        negative = isinstance(only, ast.UnaryOp) and isinstance(only.op, ast.USub)
        return given if negative else []
    return [] if any(isinstance(part, ast.Starred) for part in given) else given


def _of_data(facts: Facts, data: ast.expr, shown: _Shown, depth: int = 0) -> frozenset[int]:
    """As many dimensions as lists are deep, and as what is in them has."""
    parts = elements(facts, data) if depth < _MAX_DEPTH else None
    if parts is None:
        return shown(data)
    if not parts or any(isinstance(part, ast.Starred) for part in parts):
        return at_least(1)
    # Where they have not all the same, no tensor can be made of the array.
    each = (_of_data(facts, part, shown, depth + 1) for part in parts)
    inside = functools.reduce(operator.and_, each, ANY) or ANY
    return frozenset(min(n + 1, MANY) for n in inside)
