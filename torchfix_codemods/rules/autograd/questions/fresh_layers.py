"""Modules that give new memory, which without gradients is part of no graph."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import run_by_call
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.lattice import Module, Value
from torchfix_codemods.facts.values.torch_api import LAYERS_WITH_WEIGHTS

_SEQUENTIAL = "torch.nn.Sequential"
#: Through so many modules and names a result is followed.
_MOST_FOLLOWED = 6


def gives_fresh(call: ast.Call, facts: Facts, depth: int = 0) -> bool:
    """Whether a call of a module certainly gives what a layer with weights calculates.

    Where gradients are off, that needs none. What is just handed on, as ``nn.Identity`` does, may
    need them all the same.
    """
    module = facts.value(call.func)
    if not isinstance(module, Module) or module.either:
        return False
    if facts.is_mentioned("register_forward_hook"):
        return False
    if _has_weights(module):
        return True
    if module.cls == _SEQUENTIAL:
        layers = module.call.args if module.call is not None else []
        return module.origin is None and any(_has_weights(facts.value(layer)) for layer in layers)
    found = run_by_call(facts.inference, module) if module.definition is not None else None
    home = None if found is None else facts_of(found[0])
    if found is None or home is None or "enable_grad" in home.text:
        return False
    owner, forward = found
    exits = owner.exits.get(forward, ())
    return bool(exits) and all(
        node.value is not None and _is_fresh(node.value, home, depth + 1) for node in exits
    )


def _has_weights(value: Value) -> bool:
    return (
        isinstance(value, Module) and value.definition is None and value.cls in LAYERS_WITH_WEIGHTS
    )


def _is_fresh(node: ast.expr, facts: Facts, depth: int) -> bool:
    if depth > _MOST_FOLLOWED:
        return False
    if isinstance(node, ast.Name):
        assigned = facts.assigned(node)
        return bool(assigned) and all(_is_fresh(one, facts, depth + 1) for one in assigned or ())
    return isinstance(node, ast.Call) and gives_fresh(node, facts, depth)
