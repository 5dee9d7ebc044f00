"""Totals that count matches: `correct += (predicted == labels).sum()`."""

from __future__ import annotations

import ast

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.elements import was_plain
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.scopes import Binding, Scope
from torchfix_codemods.facts.uses import name_is_used_as_number
from torchfix_codemods.facts.values import Number, Tensor

#: What may stand between the count and the comparison, without changing the count.
_PASSED_THROUGH = frozenset({"data", "cpu", "cuda", "float", "double", "long", "int", "detach"})

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def becomes_number(node: ast.AugAssign, facts: Facts) -> bool:
    """Whether a count that is added to a total can be a number of Python, and the total with it."""
    return facts.remembered(("becomes number", node), lambda: _becomes_number(node, facts))


def _becomes_number(node: ast.AugAssign, facts: Facts) -> bool:
    if not isinstance(node.target, ast.Name) or not _adds_count(node, facts):
        return False
    found = facts.names.scope_of(node).lookup(node.target.id)
    if was_number(node, facts):
        # Whoever asks it for an item() knew better.
        return found is None or not _is_asked_as_tensor(found[0], node.target.id, facts)
    if found is None or found[0].kind not in ("function", "module"):
        return False
    return (
        all(_is_number_or_count(binding, facts) for binding in found[1])
        and any(binding.kind == "assign" for binding in found[1])
        and not _is_aliased_in_loop(node, found[0], facts)
        and all(name_is_used_as_number(facts, binding) for binding in found[1])
    )


def is_total_of_numbers(node: ast.expr, facts: Facts) -> bool:
    """Whether a name holds a total that can be a number of Python."""
    return isinstance(node, ast.Name) and any(
        isinstance(binding.node, ast.AugAssign) and becomes_number(binding.node, facts)
        for binding in facts.flow.reaching(node)
    )


def _is_asked_as_tensor(scope: Scope, name: str, facts: Facts) -> bool:
    """Whether a total is asked for what no number has: ``correct.item()``, ``correct.data[0]``."""
    parents = ((use, facts.parent(use)) for use in facts.names.uses_of(scope, name))
    return any(
        isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is use
        for use, parent in parents
    )


def was_number(node: ast.AugAssign, facts: Facts) -> bool:
    """Whether what is added was a number of Python, wherever the total goes: until torch 0.3.

    Both sides of the comparison were plain tensors where one of them was, or what it gave is.
    """
    if not facts.era.before((0, 4)):
        return False
    call = _below_passed_through(node.value)
    counted = _counted(call, facts) if isinstance(call, ast.Call) else None
    parts = [] if counted is None else [counted, *_sides(counted)]
    return any(was_plain(facts, part) for part in parts)


def _sides(node: ast.expr | None) -> list[ast.expr]:
    """``pred`` and ``y`` of ``pred == y`` and of ``pred.eq(y).cpu()``."""
    node = node if node is None else _below_passed_through(node)
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value, *node.args[:1]]
    return []


def _is_aliased_in_loop(node: ast.AugAssign, scope: Scope, facts: Facts) -> bool:
    """``last = correct`` in the same loop: adding to a tensor in place changes ``last`` as well."""
    assert isinstance(node.target, ast.Name)
    loops = {a for a in facts.names.ancestors(node) if isinstance(a, (ast.For, ast.While))}
    return any(
        isinstance(facts.parent(use), (ast.Assign, ast.Dict))
        and not loops.isdisjoint(facts.names.ancestors(use))
        for use in scope.uses.get(node.target.id, ())
    )


def _is_number_or_count(binding: Binding, facts: Facts) -> bool:
    """Whether a binding of the total is a number, adds a count to it, or calculates with it."""
    node = binding.node
    if isinstance(node, ast.AugAssign):
        return _adds_count(node, facts) or (
            isinstance(node.op, _ARITHMETIC) and isinstance(facts.value(node.value), Number)
        )
    if binding.kind != "assign" or binding.value is None:
        return False
    return isinstance(facts.inference.bound(binding), Number) or (
        not binding.path and _is_calculated(binding.value, binding.name, facts)
    )


def _is_calculated(node: ast.expr, total: str, facts: Facts) -> bool:
    """Whether an expression calculates with the total and numbers: ``100. * total / n``."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _ARITHMETIC) and all(
            _is_calculated(side, total, facts) or isinstance(facts.value(side), Number)
            for side in (node.left, node.right)
        )
    return isinstance(node, ast.Name) and node.id == total


def adds_whole_number(node: ast.AugAssign, facts: Facts) -> bool:
    value = facts.value(node.value)
    return isinstance(value, Tensor) and value.dtype == "int64"


def _adds_count(node: ast.AugAssign, facts: Facts) -> bool:
    if not isinstance(node.op, ast.Add) or not isinstance(node.value, ast.Call):
        return False
    value = facts.value(node.value)
    return isinstance(value, Tensor) and value.ndim == 0 and _is_count(node.value, facts)


def _is_count(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is the number of elements for which a comparison holds."""
    node = _below_passed_through(node)
    counted = _counted(node, facts) if isinstance(node, ast.Call) else None
    return counted is not None and _is_comparison(counted, facts)


def _counted(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``pred == y`` of ``(pred == y).sum()`` and of ``torch.sum(pred == y)``."""
    if call.keywords:
        return None
    if facts.name(call.func) == "torch.sum":
        return call.args[0] if len(call.args) == 1 else None
    if call.args or not isinstance(call.func, ast.Attribute) or call.func.attr != "sum":
        return None
    return call.func.value


def _is_comparison(node: ast.expr, facts: Facts) -> bool:
    node = _below_passed_through(node)
    value = facts.value(node)
    if not (isinstance(value, Tensor) and value.dtype == "bool"):
        return False
    if isinstance(node, ast.Compare):
        return True
    method = node.func if isinstance(node, ast.Call) else None
    return isinstance(node, ast.Name) or (
        isinstance(method, ast.Attribute) and method.attr in torch_api.COMPARISONS
    )


def _below_passed_through(node: ast.expr) -> ast.expr:
    while True:
        inner = node.func if isinstance(node, ast.Call) and not node.args else node
        if not isinstance(inner, ast.Attribute) or inner.attr not in _PASSED_THROUGH:
            return node
        node = inner.value
