"""Reductions that kept the dimension they reduce, as all did until torch 0.1.12."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import (
    constant,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor
from torchfix_codemods.record import record

#: Where the dimension stands among the arguments of the method; of the function it is one behind.
#: Only of those that torch 0.1 had, which kept it.
_DIM_AT = {
    **dict.fromkeys("sum mean prod std var max min median mode".split(), 0),
    "norm": 1,
}
REDUCTIONS = frozenset(_DIM_AT)
#: Those that return the indices, too.
PAIRS = frozenset("max min median mode".split())


@record
class Reduced:
    """What is left of a tensor after some reductions."""

    calls: tuple[ast.Call, ...]
    """The reductions, the last one first."""
    dims: tuple[int, ...]
    """The dimension of each."""
    tensor: ast.expr
    """What was reduced, or what has its shape."""


def reduced(facts: Facts, node: ast.expr) -> Reduced:
    """What an expression is made of by reductions along one dimension that do not say ``keepdim``.

    ``x`` and ``x.pow(2).sum(2)``, ``….sum(3)`` of ``x.pow(2).sum(2).sqrt().sum(3)``.
    """
    calls: list[ast.Call] = []
    dims: list[int] = []
    while True:
        call = node
        if isinstance(node, ast.Subscript) and constant(node.slice) in (0, 1):
            call = node.value
        is_chosen = call is not node
        dim = dim_of(facts, call) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and dim is not None:
            if is_chosen is (function_of(call) in PAIRS):
                calls.append(call)
                dims.append(dim)
                node = _reduced_by(facts, call)
                continue
        inner = _of_same_shape(facts, node)
        if inner is None:
            return Reduced(tuple(calls), tuple(dims), node)
        node = inner


def expanded(facts: Facts, call: ast.Call) -> tuple[ast.Call, ...]:
    """The reductions of ``x.sum(1).expand_as(x)``, whose dimension is needed there.

    No tensor fits without: what is left of its shape has moved by one dimension. The first of all
    is no such dimension.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or len(call.args) != 1 or call.keywords:
        return ()
    if function.attr in method_names(facts.names):
        return ()
    target: ast.expr | None = call.args[0]
    if function.attr == "expand":
        target = _measured(call.args[0])
    elif function.attr != "expand_as" or isinstance(target, ast.Starred):
        return ()
    if target is None:
        return ()
    source = _source(facts, function.value)
    found, like = reduced(facts, source), reduced(facts, target)
    if source is not function.value and not _is_unchanged(facts, found.tensor, like.tensor):
        return ()
    if like.calls or ast.dump(found.tensor) != ast.dump(like.tensor):
        return ()
    is_certain = all(dim > 0 for dim in found.dims) and len(set(found.dims)) == len(found.dims)
    return found.calls if is_certain else ()


def _source(facts: Facts, node: ast.expr) -> ast.expr:
    """``x.norm(2, 1)`` for ``norms``, where that is all that the name holds."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    return made[0] if made is not None and len(made) == 1 else node


def _is_unchanged(facts: Facts, before: ast.expr, now: ast.expr) -> bool:
    """Whether two names, the same as text, hold the same."""
    if not isinstance(before, ast.Name) or not isinstance(now, ast.Name):
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
    is_pair = function_of(call) in PAIRS
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


def lost_before_squeeze(facts: Facts, call: ast.Call) -> tuple[ast.Call, ...]:
    """The reductions of ``x.max(2)[0].squeeze(2)`` of three dimensions, of which two are left."""
    function = call.func
    if call.keywords or not isinstance(function, ast.Attribute) or function.attr != "squeeze":
        return ()
    given = (
        [*call.args] if facts.name(function) == "torch.squeeze" else [function.value, *call.args]
    )
    dim = whole_number(given[-1])
    if len(given) != 2 or dim is None:
        return ()
    found = reduced(facts, given[0])
    before = _dimensions_before(facts, found)
    is_lost = before is not None and before - len(found.calls) <= dim
    return found.calls if is_lost and dim in found.dims else ()


def _dimensions_before(facts: Facts, found: Reduced) -> int | None:
    """How many dimensions there were, where that is certain and each is reduced but once."""
    value = facts.value(found.tensor)
    if not isinstance(value, Tensor) or value.ndim is None:
        return None
    dims = {dim % value.ndim for dim in found.dims if -value.ndim <= dim < value.ndim}
    return value.ndim if len(dims) == len(found.dims) else None


def function_of(call: ast.Call) -> str:
    """``sum`` of ``x.sum(1)`` and of ``torch.sum(x, 1)``."""
    return last_name(call.func) or ""


def _is_function_of_torch(facts: Facts, call: ast.Call) -> bool:
    return facts.name(call.func) == f"torch.{function_of(call)}"


def dim_of(facts: Facts, call: ast.Call) -> int | None:
    """The dimension of ``x.sum(1)``, where nothing else is said."""
    name = function_of(call)
    if name not in _DIM_AT or is_opaque(call):
        return None
    at = _DIM_AT[name]
    if _is_function_of_torch(facts, call):
        at += 1
    elif not isinstance(call.func, ast.Attribute) or facts.name(call.func) is not None:
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if set(given) - {"dim", "p"} or len(call.args) > at + 1:
        return None
    node = call.args[at] if len(call.args) > at else given.get("dim")
    return None if node is None else whole_number(node)


def _reduced_by(facts: Facts, call: ast.Call) -> ast.expr:
    if _is_function_of_torch(facts, call):
        return call.args[0]
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def _of_same_shape(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.data``, ``x.pow(2)``, ``torch.sqrt(x)``, ``x ** 2``, ``x * x``, ``-x``."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value
    if isinstance(node, ast.UnaryOp):
        return node.operand
    if isinstance(node, ast.BinOp):
        if ast.dump(node.left) == ast.dump(node.right) or _is_number(facts, node.right):
            return node.left
        return node.right if _is_number(facts, node.left) else None
    if not isinstance(node, ast.Call) or is_opaque(node):
        return None
    name, rest = function_of(node), values_given(node)
    of_torch = _is_function_of_torch(facts, node)
    if of_torch:
        rest = rest[1:]
    elif not isinstance(node.func, ast.Attribute) or facts.name(node.func) is not None:
        return None
    if not keeps_shape(name) or not all(_is_number(facts, given) for given in rest):
        return None
    if of_torch:
        return node.args[0] if node.args else None
    assert isinstance(node.func, ast.Attribute)
    return node.func.value


def keeps_shape(name: str) -> bool:
    """Whether an operation gives as many numbers in the same shape, with numbers as arguments."""
    name = torch_effects.of_any(name)
    return torch_effects.is_elementwise(name) and torch_effects.reads_only(name)


def _is_number(facts: Facts, node: ast.expr) -> bool:
    return isinstance(facts.value(node), Number)


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
            if _of_same_shape(facts, user) is not node:
                return False
            node = user
        else:
            return False
