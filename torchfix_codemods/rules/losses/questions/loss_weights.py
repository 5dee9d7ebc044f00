"""Weights of losses that are computed from what the loss is of, and have its graph."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import Tensor


def is_computed_from(facts: Facts, value: ast.expr, source: ast.expr) -> bool:
    """Whether ``value`` is certainly computed from the variable ``source``, and has its graph."""
    if not isinstance(source, ast.Name):
        return False
    known = facts.value(source)
    if isinstance(known, Tensor) and known.grad is False:
        return False
    return not is_under_no_grad(value, facts) and _comes_from(facts, value, source, frozenset())


def _comes_from(facts: Facts, node: ast.expr, source: ast.Name, seen: frozenset[Binding]) -> bool:
    def any_of(*nodes: ast.expr) -> bool:
        return any(_comes_from(facts, each, source, seen) for each in nodes)

    if isinstance(node, ast.Name):
        return _name_comes_from(facts, node, source, seen)
    if isinstance(node, ast.BinOp):
        return any_of(node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and any_of(node.operand)
    if isinstance(node, ast.Subscript):
        return any_of(node.value)
    if not isinstance(node, ast.Call):
        return False
    name = facts.name(node.func)
    if name is not None:
        return any_of(*node.args[: torch_effects.count_recorded(name)])
    method = node.func
    if not isinstance(method, ast.Attribute):
        return False
    count = torch_effects.count_recorded(method.attr)
    return count > 0 and any_of(method.value, *node.args[: count - 1])


def _name_comes_from(
    facts: Facts, node: ast.Name, source: ast.Name, seen: frozenset[Binding]
) -> bool:
    bindings = facts.flow.reaching(node)
    if node.id == source.id and set(bindings) == set(facts.flow.reaching(source)):
        return bool(bindings)
    return bool(bindings) and all(
        binding not in seen
        and binding.kind == "assign"
        and binding.value is not None
        and not binding.path
        and not is_under_no_grad(binding.node, facts)
        and _comes_from(facts, binding.value, source, seen | {binding})
        for binding in bindings
    )
