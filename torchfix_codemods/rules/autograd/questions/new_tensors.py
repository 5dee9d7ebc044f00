"""Which operations make another tensor of one, or none at all."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import element_for
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_formatting, uses_given_by
from torchfix_codemods.facts.values.lattice import Array, Tensor, Value, may_answer_itself


def is_query(name: str) -> bool:
    """Whether a method or an attribute of a tensor does not touch what it holds."""
    return torch_effects.makes_alike(name) or torch_effects.tells(name)


def gives_fresh_tensor(name: str) -> bool:
    """Whether the result of an operation is a tensor in memory of its own, or several."""
    is_new = torch_effects.is_fresh(name) and torch_effects.reads_only(name)
    return is_new and not torch_effects.makes_alike(name)


def gives_nothing_of_it(name: str) -> bool:
    """Whether the result of a method has nothing to do with the tensor's memory.

    An array of numpy has, but is only read.
    """
    return gives_fresh_tensor(name) or is_query(name) or torch_effects.leaves_torch(name)


def asks_for_numbers(node: ast.AST, facts: Facts) -> bool:
    """Whether a comparison of a tensor is torch's own: with a number, a tensor, what is not known.

    An object of another library answers ``==`` in its own way, and may ask for an array.
    """
    assert isinstance(node, ast.Compare)
    sides = (node.left, *node.comparators)
    return not any(may_answer_itself(facts.value(side)) for side in sides)


def is_named_for_others(statement: ast.Assign, facts: Facts) -> bool:
    """``weight = w.data`` of a function that only makes others alike: ``weight.new_zeros(2)``."""
    target, scope = statement.targets[0], facts.names.scope_of(statement)
    if len(statement.targets) != 1 or not isinstance(target, ast.Name) or scope.kind != "function":
        return False
    reads = [facts.parent(use) for use in facts.names.uses_of(scope, target.id)]
    is_asked = all(isinstance(read, ast.Attribute) and is_query(read.attr) for read in reads)
    return bool(reads) and is_asked and len(scope.bindings.get(target.id, ())) == 1


def is_only_counted(node: ast.expr, facts: Facts) -> bool:
    """``for i, _ in enumerate(x.data)`` of a function that reads no element there."""
    around, is_numbered = facts.parent(node), False
    if isinstance(around, ast.Call):
        if facts.names.builtin(around.func) != "enumerate" or around.args[:1] != [node]:
            return False
        node, around, is_numbered = around, facts.parent(around), True
    if not isinstance(around, (ast.For, ast.comprehension)) or around.iter is not node:
        return False
    target: ast.expr | None = around.target
    if is_numbered:
        target = element_for(target, 1) if isinstance(target, ast.Tuple) else None
    if not isinstance(target, ast.Name):
        return False
    holder = facts.names.scope_of(target).lookup(target.id)
    is_own = holder is not None and holder[0].kind != "module"
    return is_own and not uses_given_by(facts, around, target.id)


def is_copied_into_part(
    statement: ast.Assign, facts: Facts, holders: tuple[type[Value], ...] = (Tensor, Array)
) -> bool:
    """``batch[i] = x.data``: the numbers are written into another tensor, and x gets no name.

    Args:
        statement: the assignment.
        facts: the facts of the module.
        holders: what they may be written into: arrays refuse what requires gradients.
    """
    targets = [each for each in statement.targets if isinstance(each, ast.Subscript)]
    kinds = [facts.value(each.value) for each in targets]
    return len(targets) == len(statement.targets) and all(
        isinstance(kind, holders) for kind in kinds
    )


def is_used_for_new(facts: Facts, node: ast.expr) -> bool:
    """Whether code that stands around ``node`` calculates another tensor of it.

    Without gradients, that one has no graph: ``x.max(1)``, ``x[0] > 2``, ``torch.sum(x)``. So has
    none what is written into another tensor: ``y.copy_(x)``, ``y[i] = x``. A view requires
    gradients where x does, so what counts is what is made of it: ``x[0].view(-1).exp()``.
    """
    parent = facts.parent(node)
    if isinstance(parent, ast.Compare):
        return asks_for_numbers(parent, facts)
    if isinstance(parent, (ast.BinOp, ast.UnaryOp)):
        return not (isinstance(parent, ast.BinOp) and is_formatting(facts, parent, node))
    if isinstance(parent, ast.AugAssign):
        return parent.value is node
    if isinstance(parent, ast.Assign):
        return is_copied_into_part(parent, facts, (Tensor,))
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return isinstance(parent.ctx, ast.Load) and is_used_for_new(facts, parent)
    if isinstance(parent, ast.Call) and node in parent.args:
        name = facts.name(parent.func) or ""
        if not name and isinstance(parent.func, ast.Attribute):
            return torch_effects.updates(parent.func.attr) and facts.is_tensor(parent.func.value)
        is_function = name.startswith("torch.") and not name.rpartition(".")[2][:1].isupper()
        return is_function and gives_fresh_tensor(name)
    if not (isinstance(parent, ast.Attribute) and parent.value is node):
        return False
    call = facts.parent(parent)
    if not (isinstance(call, ast.Call) and call.func is parent):
        return False
    if torch_effects.may_be_itself(parent.attr) or torch_effects.gives_alias(parent.attr):
        return parent.attr != "numpy" and is_used_for_new(facts, call)
    return gives_nothing_of_it(parent.attr) and parent.attr != "numpy"


def is_unnamed(node: ast.expr) -> bool:
    """Whether no name holds what an expression gives: a call, a comparison, arithmetic."""
    if isinstance(node, ast.Subscript):
        # The second of what a call returns.
        return isinstance(node.value, ast.Call) and is_unnamed(node.value)
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.Compare, ast.BinOp))
    method = node.func
    if isinstance(method, ast.Attribute) and torch_effects.may_be_itself(method.attr):
        return is_unnamed(method.value)
    return True


def is_made_there(node: ast.expr) -> bool:
    """Whether an expression itself calculates what it gives a view of: ``f(x)[0].view(-1)``.

    Nothing else can ask that for gradients later.
    """
    while isinstance(node, (ast.Subscript, ast.Call)):
        method = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(method, ast.Attribute) and (
            torch_effects.gives_alias(method.attr) or torch_effects.may_be_itself(method.attr)
        ):
            node = method.value
        else:
            return True
    return isinstance(node, (ast.BinOp, ast.UnaryOp))
