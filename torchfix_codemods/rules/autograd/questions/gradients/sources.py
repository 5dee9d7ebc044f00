"""Tensors of one number that are made to be gradients of single numbers, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, values_given
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.paths.wrapping import only_moves
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Number, Tensor
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need
from torchfix_codemods.rules.questions.unread_imports import is_exported

_AS_GIVEN, _ONES = "torch.tensor", "torch.ones"
_MADE = frozenset({"torch.FloatTensor", "torch.Tensor", _AS_GIVEN, _ONES})

#: Through so many names and operations a gradient is followed.
_MAX_DEPTH = 8

IsGradient = Callable[[ast.Call, Facts], bool]


@record
class Undimensioned:
    """How a tensor of one number is made without a dimension."""

    place: ast.expr
    """What changes there."""
    text: str
    needs: Sequence[Need] = ()


def made_as_gradients(
    given: ast.expr, is_gradient: IsGradient, facts: Facts
) -> Undimensioned | None:
    """How ``torch.FloatTensor([1])`` in the function or the script of a gradient is made today.

    None where something else takes it as well.

    Args:
        given: what ``backward()`` is given.
        is_gradient: whether a call of ``backward()`` is one of a single number.
        facts: the facts of the module.
    """
    function = facts.names.enclosing_function(given)
    for call in facts.names.nodes.get(ast.Call, ()):
        if isinstance(call, ast.Call) and facts.names.enclosing_function(call) in (function, None):
            made = _without_dimension(call, facts)
            if made is not None and given in _gradients_of(call, is_gradient, facts):
                return made
    return None


def _without_dimension(call: ast.Call, facts: Facts) -> Undimensioned | None:
    """``torch.tensor(1.0)`` for ``torch.FloatTensor([1])``; None of what is made of more."""
    name = facts.name(call.func)
    if name not in _MADE or len(call.args) != 1:
        return None
    given = call.args[0]
    if name == _ONES:
        return Undimensioned(given, "()") if constant(given) == 1 else None
    if not isinstance(given, ast.List) or len(given.elts) != 1:
        return None
    number = constant(given.elts[0])
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    if name == _AS_GIVEN:
        return Undimensioned(given, str(number))
    written = None if call.keywords else spell(facts, _AS_GIVEN, call)
    if written is None:
        return None
    return Undimensioned(call, f"{written.text}({float(number)})", written.needs)


def _is_scaled(operation: ast.BinOp, facts: Facts) -> bool:
    """Whether a tensor is calculated with a number: ``one * -1``, ``one * weight``."""
    return any(isinstance(facts.value(s), Number) for s in (operation.left, operation.right))


def _is_same(call: ast.Call, given: ast.expr, facts: Facts) -> bool:
    """``Variable(one)``, and a function of the project that moves what it is given."""
    if facts.name(call.func) == VARIABLE:
        return given in call.args[:1]
    return only_moves(call, facts)


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
            return use.result() if torch_effects.moves_or_casts(by.func.attr) else None
        if isinstance(by, ast.Call) and use.kind == "argument":
            if argument(by, 0, "gradient") is use.node and is_gradient(by, facts):
                gradients.append(use.node)
                return ()
            return use.result() if _is_same(by, use.node, facts) else None
        is_scaled = isinstance(by, ast.BinOp) and _is_scaled(by, facts)
        return use.result() if is_scaled or isinstance(by, ast.UnaryOp) else None

    if follow([Place(facts, call)], _is_more) is not None:
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
