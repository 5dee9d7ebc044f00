"""Batches of a loader that nothing but the name of its loop holds."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.scopes import Binding, Path
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.values.lattice import Batch, Loader, Value, element_of, item_at
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved
from torchfix_codemods.rules.autograd.questions.wrapped.just_made import loops_around, other_reads


def is_batch_alone(call: ast.Call, data: ast.expr, facts: Facts) -> bool:
    """Whether a batch is wrapped that nothing else holds: ``x = Variable(x.cuda())`` in a loop.

    So it is with ``y = Variable(x.cuda())`` of a function that reads x nowhere else.

    Args:
        call: the call of ``Variable``.
        data: what it is given first.
        facts: the facts of the module.
    """
    while isinstance(data, ast.Call) and isinstance(data.func, ast.Attribute):
        if not torch_effects.moves_or_casts(data.func.attr):
            return False
        data = data.func.value
    statement = facts.parent(moved(call, facts))
    if not (isinstance(data, ast.Name) and isinstance(statement, ast.Assign)):
        return False
    targets = [name.id for name in statement.targets if isinstance(name, ast.Name)]
    is_renewed = targets == [data.id] and _has_one_use(data, facts)
    return (is_renewed or _is_read_once(data, facts)) and _is_stack(data, facts)


def _is_read_once(name: ast.Name, facts: Facts) -> bool:
    """Whether a variable of a function, and what it is a part of, is read once in each pass."""
    scope, bindings = facts.names.scope_of(name), facts.flow.reaching(name)
    found = scope.lookup(name.id)
    if scope.kind != "function" or found is None or found[0] is not scope:
        return False
    if other_reads(name, facts) or len(bindings) != 1:
        return False
    given, around = bindings[0], loops_around(name, facts)
    if isinstance(given.node, ast.For):
        return around == {given.node, *loops_around(given.node, facts)}
    is_part = isinstance(given.value, ast.Name) and around == loops_around(given.node, facts)
    return is_part and isinstance(given.value, ast.Name) and _is_read_once(given.value, facts)


def _has_one_use(name: ast.Name, facts: Facts) -> bool:
    """Whether only one line takes what a name is given, in each pass of a loop once.

    Besides, it may be asked for its type, and taken where this line is left out.
    """
    bindings = facts.flow.reaching(name)
    uses = facts.flow.uses_reached_by(bindings, facts.names.scope_of(name), name.id)
    around = loops_around(name, facts)
    return (
        name in uses
        and all(loops_around(_in_pass(binding), facts) == around for binding in bindings)
        and all(use is name or _takes_nothing(use, name, facts) for use in uses)
    )


def _in_pass(binding: Binding) -> ast.AST:
    """A node of what runs each time that a name is bound: for a loop that is its body."""
    return binding.node.body[0] if isinstance(binding.node, ast.For) else binding.node


def _takes_nothing(use: ast.Name, beside: ast.Name, facts: Facts) -> bool:
    call = facts.parent(use)
    if isinstance(call, ast.Call) and use in call.args:
        if facts.names.builtin(call.func) in ("isinstance", "len", "type"):
            return True
    return are_exclusive(facts.names, use, beside)


def _is_stack(name: ast.Name, facts: Facts) -> bool:
    """Whether a name is what a loader has stacked for this pass of a loop alone."""
    bindings = facts.flow.reaching(name)
    return bool(bindings) and all(_is_given_stack(binding, facts) for binding in bindings)


def _is_given_stack(binding: Binding, facts: Facts) -> bool:
    given = binding.node
    if binding.is_shared:
        return False
    if isinstance(given, ast.For):
        if _part_by_all_calls(binding, facts) is not None:
            return True
        value: Value | None = element_of(facts.value(given.iter))
    elif isinstance(binding.value, ast.Name) and _has_one_use(binding.value, facts):
        # ``images, labels = data``
        if [_part_by_all_calls(b, facts) for b in facts.flow.reaching(binding.value)] == [()]:
            return True
        value = facts.value(binding.value) if _is_stack(binding.value, facts) else None
    else:
        return False
    for step in binding.path:
        if value is None or isinstance(value, Batch):
            break
        value = item_at(value, step) if isinstance(step, int) else element_of(value)
    return isinstance(value, Batch) and value.stacks


def _part_by_all_calls(binding: Binding, facts: Facts) -> Path | None:
    """Which part of a stacked batch a loop gives, where all calls give a loader for its name.

    The whole batch is an empty path; None for what is no such loop.
    """
    loop, path = binding.node, binding.path
    node = loop.iter if isinstance(loop, ast.For) else None
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) == "enumerate":
        if path[:1] != (1,) or not node.args:
            return None
        node, path = node.args[0], path[1:]
    value = value_by_all_calls(node, facts) if isinstance(node, ast.Name) else None
    return path if isinstance(value, Loader) and value.stacks else None
