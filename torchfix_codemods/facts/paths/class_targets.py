"""Targets that are indices of classes: whole numbers, which are part of no graph."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, call_taking, is_opaque
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF, OF_CLASSES
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module


def holds_classes(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression holds indices of classes, because a loss takes it for its target.

    ``y`` of ``F.cross_entropy(model(x), Variable(y))``: until torch 1.10 that took nothing else.

    Args:
        node: the expression, or what a Variable is made of.
        facts: the facts of the module.
    """
    if not facts.era_of(node).before((1, 10)):
        return False
    if not isinstance(node, ast.Name):
        return _is_target(node, facts)
    bindings = facts.flow.reaching(node)
    uses = facts.flow.uses_reached_by(bindings, facts.names.scope_of(node), node.id)
    return any(
        _is_target(use, facts) and facts.inference.branches.runs_with(use, node) for use in uses
    )


def _is_target(node: ast.expr, facts: Facts) -> bool:
    around = facts.parent(node)
    if isinstance(around, ast.Call) and facts.name(around.func) == VARIABLE:
        node, around = around, facts.parent(around)
    loss = call_taking(facts.names, node)
    if loss is None or is_opaque(loss):
        return False
    return argument(loss, 1, "target") is node and _is_of_classes(loss, facts)


def _is_of_classes(loss: ast.Call, facts: Facts) -> bool:
    name = facts.name(loss.func)
    if name is not None:
        module, _, function = name.rpartition(".")
        return module == "torch.nn.functional" and function in OF_CLASSES
    value = facts.value(loss.func)
    return isinstance(value, Module) and FUNCTION_OF.get(value.cls or "") in OF_CLASSES
