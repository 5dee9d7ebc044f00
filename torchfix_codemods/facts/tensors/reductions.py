"""Reductions that kept the dimension they reduce until torch 0.1.12, and extremes along one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM, PLACES, gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.record import record


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
            if is_chosen is gives_places(function_of(call)):
                calls.append(call)
                dims.append(dim)
                node = _reduced_by(facts, call)
                continue
        inner = of_same_shape(facts, node)
        if inner is None:
            return Reduced(tuple(calls), tuple(dims), node)
        node = inner


def reduced_beside(facts: Facts, node: ast.expr, tensor: ast.expr) -> Reduced | None:
    """The one side of ``scale / (x.sum(1) + 1)`` that is made of a tensor by reductions.

    Args:
        facts: the facts of the module.
        node: what is calculated of two tensors, element by element, and then of that alone.
        tensor: what is reduced, the same as text.
    """
    whole = reduced(facts, node)
    if whole.calls or not isinstance(whole.tensor, ast.BinOp):
        return None
    if not isinstance(whole.tensor.op, ELEMENTWISE):
        return None
    sides = [reduced(facts, side) for side in (whole.tensor.left, whole.tensor.right)]
    of_it = [s for s in sides if s.calls and ast.dump(s.tensor) == ast.dump(tensor)]
    return of_it[0] if len(of_it) == 1 else None


def function_of(call: ast.Call) -> str:
    """``sum`` of ``x.sum(1)`` and of ``torch.sum(x, 1)``."""
    return last_name(call.func) or ""


def function_read(facts: Facts, call: ast.Call) -> str:
    """The same as the file had it: ``max`` of ``x.argmax(1)`` that was ``x.max(1)[1]``.

    Args:
        facts: the facts of the module.
        call: the reduction.
    """
    name = function_of(call)
    if name in PLACES and facts.is_rewritten(call.lineno):
        return name if name in facts.as_read(call.lineno) else name.removeprefix("arg")
    return name


def _is_function_of_torch(facts: Facts, call: ast.Call) -> bool:
    return facts.name(call.func) == f"torch.{function_of(call)}"


def dim_of(facts: Facts, call: ast.Call, may_keep: bool = False) -> int | None:
    """The dimension of ``x.sum(1)``, where nothing else is said.

    Args:
        facts: the facts of the module.
        call: any call.
        may_keep: whether ``x.sum(1, keepdim=True)`` counts, which says what is left of it.
    """
    name = function_of(call)
    if name not in PLACE_OF_DIM or is_opaque(call):
        return None
    at = PLACE_OF_DIM[name]
    if _is_function_of_torch(facts, call):
        at += 1
    elif not isinstance(call.func, ast.Attribute) or facts.name(call.func) is not None:
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    others, more = ({"keepdim"}, 1) if may_keep else (set[str](), 0)
    if set(given) - {"dim", "p", "k", *others} or len(call.args) > at + 1 + more:
        return None
    node = call.args[at] if len(call.args) > at else given.get("dim")
    return None if node is None else whole_number(node)


def keeps_dimensions(call: ast.Call) -> bool:
    """``x.mean(dim=0, keepdim=True)``, which gives several where it gives their places, too."""
    return any(k.arg == "keepdim" and constant(k.value) is True for k in call.keywords)


def _reduced_by(facts: Facts, call: ast.Call) -> ast.expr:
    if _is_function_of_torch(facts, call):
        return call.args[0]
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def of_same_shape(facts: Facts, node: ast.expr) -> ast.expr | None:
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


def is_extreme_along(facts: Facts, node: ast.expr) -> bool:
    """``x.max(1)[1]``, ``torch.max(x, 1)[1]``, ``x.argmax(1)``, ``x.kthvalue(3)[0]``."""
    if isinstance(node, ast.Subscript):
        return gives_extremes_along(facts, node.value)
    return isinstance(node, ast.Call) and last_name(node.func) in PLACES and _is_along(facts, node)


def gives_extremes_along(facts: Facts, node: ast.expr) -> bool:
    """``x.max(1)``, of which the first part is the maxima, and the second their places."""
    is_extreme = isinstance(node, ast.Call) and gives_places(last_name(node.func) or "")
    return is_extreme and _is_along(facts, node)


def _is_along(facts: Facts, node: ast.expr) -> bool:
    """Whether an extreme is asked for along one dimension, which is not kept."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if is_opaque(node):
        return False
    # It takes the last dimension by itself.
    name, is_kth = facts.name(node.func), node.func.attr == "kthvalue"
    tensors = 1 if name == f"torch.{node.func.attr}" else 0
    at = tensors + is_kth
    if (name is not None and not tensors) or argument(node, at + 1, "keepdim") is not None:
        return False
    return is_kth or argument(node, at, "dim") is not None


def source_of(facts: Facts, node: ast.expr) -> ast.expr:
    """``x.norm(2, 1)`` for ``norms``, where that is all that the name holds."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    return made[0] if made is not None and len(made) == 1 else node
