"""Which tensors a file makes itself: of those it is certain that they are tensors."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Function, Loader


def is_made_here(facts: Facts, node: ast.expr, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether a value that is known as a tensor was made by torch, as far as the file shows.

    Annotations and the calls in sight are no proof. Where a parameter is given to ``torch.tensor``,
    somebody expects a list.

    Args:
        facts: the facts of the module.
        node: an expression that :meth:`Facts.value` takes for a tensor.
        seen: what has been looked at on the way here.
    """
    if node in seen:
        return True
    seen = seen | {node}
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        return bool(bindings) and all(_is_bound_to_made(facts, each, seen) for each in bindings)
    if isinstance(node, ast.Call):
        if (facts.name(node.func) or "").startswith("torch.") or facts.is_module(node.func):
            return True
        callee = facts.value(node.func)
        if isinstance(callee, Function):
            returns = facts.inference.exits.get(callee.definition, ())
            return all(each.value and is_made_here(facts, each.value, seen) for each in returns)
        return isinstance(node.func, ast.Attribute) and is_made_here(facts, node.func.value, seen)
    if isinstance(node, ast.BinOp):
        return is_made_here(facts, node.left, seen) or is_made_here(facts, node.right, seen)
    if isinstance(node, ast.Compare):
        return any(is_made_here(facts, each, seen) for each in (node.left, *node.comparators))
    if isinstance(node, ast.IfExp):
        return is_made_here(facts, node.body, seen) and is_made_here(facts, node.orelse, seen)
    if isinstance(node, ast.UnaryOp):
        return is_made_here(facts, node.operand, seen)
    return isinstance(node, (ast.Attribute, ast.Subscript)) and is_made_here(
        facts, node.value, seen
    )


def _is_bound_to_made(facts: Facts, binding: Binding, seen: frozenset[ast.AST]) -> bool:
    if binding.value is None:
        return False
    if binding.kind == "for":
        return isinstance(facts.value(_enumerated(facts, binding.value)), Loader)
    made = binding.written() or binding.value
    return binding.kind == "assign" and is_made_here(facts, made, seen)


def _enumerated(facts: Facts, node: ast.expr) -> ast.expr:
    """``loader`` of ``enumerate(loader)``."""
    if isinstance(node, ast.Call) and node.args and facts.names.builtin(node.func) == "enumerate":
        return node.args[0]
    return node
