"""Tensors of one number that are made to be gradients of single numbers, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, values_given
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.questions.unread_imports import is_exported

_AS_GIVEN = "torch.tensor"
_MADE = frozenset({"torch.FloatTensor", "torch.Tensor", _AS_GIVEN})

#: Through so many names and operations a gradient is followed.
_MAX_DEPTH = 8

IsGradient = Callable[[ast.Call, Facts], bool]


def made_as_gradients(
    given: ast.expr, is_gradient: IsGradient, facts: Facts
) -> tuple[ast.Call, float] | None:
    """``torch.FloatTensor([1])`` in the function or the script of a gradient, and its number.

    None where something else takes it as well, or it is the gradient of one line only.

    Args:
        given: what ``backward()`` is given.
        is_gradient: whether a call of ``backward()`` is one of a single number.
        facts: the facts of the module.
    """
    function = facts.names.enclosing_function(given)
    for call in facts.names.nodes.get(ast.Call, ()):
        if isinstance(call, ast.Call) and facts.names.enclosing_function(call) in (function, None):
            number = _number_of(call, facts)
            if number is not None and given in _gradients_of(call, is_gradient, facts):
                return call, number
    return None


def _number_of(call: ast.Call, facts: Facts) -> float | None:
    """The number of ``torch.FloatTensor([1])``; None of what is made of other things."""
    if facts.name(call.func) not in _MADE or len(call.args) != 1 or call.keywords:
        return None
    listed = call.args[0]
    if not isinstance(listed, ast.List) or len(listed.elts) != 1:
        return None
    number = constant(listed.elts[0])
    if isinstance(number, float):
        return number
    # A whole number would be one of torch.tensor's as well.
    return float(number) if type(number) is int and facts.name(call.func) != _AS_GIVEN else None


def _is_number(node: ast.expr) -> bool:
    """``3`` and ``-1.0``."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return type(constant(inner)) in (int, float)


def _gradients_of(call: ast.Call, is_gradient: IsGradient, facts: Facts) -> list[ast.expr]:
    """The gradients that a tensor is, moved or times a number; none if it is anything else."""
    return facts.remembered(
        ("made as gradients", call), lambda: _find_gradients(call, is_gradient, facts)
    )


def _find_gradients(call: ast.Call, is_gradient: IsGradient, facts: Facts) -> list[ast.expr]:
    gradients: list[ast.expr] = []
    seen: set[ast.expr] = set()

    def _is_more(use: Use) -> Iterable[Place] | None:
        seen.add(use.node)
        by = use.by
        if use.kind == "bound":
            targets = [target for target, _ in use.targets()]
            return None if any(_is_seen_outside(t, facts) for t in targets) else use.held()
        if isinstance(by, ast.Call) and use.kind == "method":
            assert isinstance(by.func, ast.Attribute)
            return use.result() if torch_effects.does(by.func.attr, "moves") else None
        if isinstance(by, ast.Call) and use.kind == "argument":
            if argument(by, 0, "gradient") is use.node and is_gradient(by, facts):
                gradients.append(use.node)
                return ()
        is_scaled = isinstance(by, ast.BinOp) and any(map(_is_number, (by.left, by.right)))
        return use.result() if is_scaled or isinstance(by, ast.UnaryOp) else None

    if follow([Place(facts, call)], _is_more) is not None or len(gradients) < 2:
        return []
    names = [node for node in seen if isinstance(node, ast.Name)]
    made = [facts.assigned(name) for name in names]
    return gradients if all(each and seen.issuperset(each) for each in made) else []


def _is_seen_outside(target: ast.expr, facts: Facts) -> bool:
    """Whether more than the names of this file holds, or may take, what is bound to a target."""
    if not isinstance(target, ast.Name):
        return True
    return is_exported(facts, facts.names.scope_of(target), target.id)


def without_dimension(facts: Facts, given: ast.expr, tensor: ast.expr) -> ast.expr | None:
    """``e`` of ``q.backward(e.unsqueeze(1))``, where ``e`` is calculated with ``q`` itself.

    It has at least the dimensions of ``q`` then, and one more fits no ``q``.

    Args:
        facts: the facts of the module.
        given: the gradient.
        tensor: what is back-propagated.
    """
    if not isinstance(given, ast.Call) or is_opaque(given) or len(values_given(given)) != 1:
        return None
    method = given.func
    if not isinstance(method, ast.Attribute) or method.attr != "unsqueeze":
        return None
    if not isinstance(tensor, ast.Name) or facts.name(method) is not None:
        return None
    return method.value if _is_calculated_with(facts, method.value, tensor, 0) else None


def is_vector(facts: Facts, tensor: ast.expr) -> bool:
    """Whether a tensor has one dimension, as what is left of a column by ``squeeze()``.

    A column itself may need the dimension, where torch 0.1 took the numbers in their order.
    """
    value = facts.value(tensor)
    if isinstance(value, Tensor) and value.ndim is not None:
        return value.ndim == 1
    made = (facts.assigned(tensor) or []) if isinstance(tensor, ast.Name) else []
    return bool(made) and all(
        isinstance(each, ast.Call) and last_name(each.func) == "squeeze" for each in made
    )


def _is_calculated_with(facts: Facts, node: ast.expr, tensor: ast.Name, depth: int) -> bool:
    """Whether all that a name may hold is calculated with a tensor, element by element."""
    core, wrappers = unwrapped(node)
    if depth > _MAX_DEPTH or not wrappers.isdisjoint(("numpy", "tolist")):
        return False
    parts: list[ast.expr] = []
    if isinstance(core, ast.Name):
        if core.id == tensor.id and facts.flow.reaching(core) == facts.flow.reaching(tensor):
            return True
        made = facts.assigned(core) or []
        return bool(made) and all(_is_calculated_with(facts, m, tensor, depth + 1) for m in made)
    if isinstance(core, ast.BinOp) and isinstance(core.op, ELEMENTWISE):
        parts = [core.left, core.right]
    elif isinstance(core, ast.UnaryOp):
        parts = [core.operand]
    elif isinstance(core, ast.Call) and isinstance(core.func, ast.Attribute):
        is_function = facts.name(core.func) is not None
        if torch_effects.is_elementwise(facts.name(core.func) or core.func.attr):
            parts = core.args[:1] if is_function else [core.func.value]
    return any(_is_calculated_with(facts, part, tensor, depth + 1) for part in parts)
