"""Batches of a loader that nothing but the name of its loop holds."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Batch, Value, element_of, item_at


def is_batch_alone(call: ast.Call, data: ast.expr, facts: Facts) -> bool:
    """Whether a batch is wrapped that nothing else holds: ``x = Variable(x.cuda())`` in a loop.

    Args:
        call: the call of ``Variable``.
        data: what it is given first.
        facts: the facts of the module.
    """
    while isinstance(data, ast.Call) and isinstance(data.func, ast.Attribute):
        if not torch_effects.moves_or_casts(data.func.attr):
            return False
        data = data.func.value
    statement = facts.parent(call)
    if not (isinstance(data, ast.Name) and isinstance(statement, ast.Assign)):
        return False
    targets = [name.id for name in statement.targets if isinstance(name, ast.Name)]
    return targets == [data.id] and _has_one_use(data, facts) and _is_stack(data, facts)


def _has_one_use(name: ast.Name, facts: Facts) -> bool:
    bindings = facts.flow.reaching(name)
    return facts.flow.uses_reached_by(bindings, facts.names.scope_of(name), name.id) == [name]


def _is_stack(name: ast.Name, facts: Facts) -> bool:
    """Whether a name is what a loader has stacked for this pass of a loop alone."""
    bindings = facts.flow.reaching(name)
    return bool(bindings) and all(_is_given_stack(binding, facts) for binding in bindings)


def _is_given_stack(binding: Binding, facts: Facts) -> bool:
    given = binding.node
    if binding.is_shared:
        return False
    if isinstance(given, ast.For):
        value: Value | None = element_of(facts.value(given.iter))
    elif isinstance(binding.value, ast.Name) and _has_one_use(binding.value, facts):
        # ``images, labels = data``
        value = facts.value(binding.value) if _is_stack(binding.value, facts) else None
    else:
        return False
    for step in binding.path:
        if value is None or isinstance(value, Batch):
            break
        value = item_at(value, step) if isinstance(step, int) else element_of(value)
    return isinstance(value, Batch) and value.stacks
