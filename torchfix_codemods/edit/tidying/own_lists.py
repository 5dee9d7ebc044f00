"""Lists that are made of the list of the same name, and of no other."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts

#: Functions of Python that give a new list, and those that have read all of one when they end.
_MAKE_LISTS = ("list", "sorted")
_READ_AT_ONCE = ("len", "max", "min", "sum")


def is_made_for_itself(value: ast.expr, held: ast.Name, facts: Facts) -> bool:
    """Whether ``xs`` is assigned what ``xs`` holds, which is a new list that no other name has.

    Args:
        value: what is assigned, with the same elements.
        held: the name for the list before.
        facts: the facts of their file.
    """
    if not _assigns(facts.parent(value), value, held):
        return False
    bindings, found = facts.flow.reaching(held), facts.names.scope_of(held).lookup(held.id)
    if not bindings or found is None or not all(_gives_new_list(each, facts) for each in bindings):
        return False
    for use in facts.names.uses_of(found[0], held.id):
        reaching = facts.flow.reaching(use)
        is_of_these = not reaching or any(each in bindings for each in reaching)
        if is_of_these and use is not held and not _only_reads(use, facts):
            return False
    return True


def is_made_anew_below(value: ast.expr, held: ast.Name, facts: Facts) -> bool:
    """Whether ``xs`` is assigned what ``xs`` holds, and right below each of those moved.

    Args:
        value: what is assigned, with the same elements.
        held: the name for what is gone through.
        facts: the facts of their file.
    """
    statement = facts.parent(value)
    if not isinstance(statement, ast.Assign) or not _assigns(statement, value, held):
        return False
    if isinstance(facts.parent(statement), ast.ClassDef):
        return False
    block = facts.block(statement)
    below = block[block.index(statement) + 1 :][:1]
    made = below[0].value if below and isinstance(below[0], ast.Assign) else None
    if made is None or not _assigns(below[0], made, held):
        return False
    each: ast.expr = made
    if isinstance(made, ast.Call) and facts.names.builtin(made.func) in ("list", "tuple"):
        each = made.args[0] if len(made.args) == 1 and not made.keywords else made
    if not isinstance(each, (ast.ListComp, ast.GeneratorExp)) or isinstance(made, ast.GeneratorExp):
        return False
    reads = [n for n in ast.walk(made) if isinstance(n, ast.Name) and n.id == held.id]
    return reads == [each.generators[0].iter] and all(map(_moves, ast.walk(each.elt)))


def _moves(node: ast.AST) -> bool:
    """Whether a part of an expression calls nothing but what moves or converts: ``x.cuda()``."""
    function = node.func if isinstance(node, ast.Call) else None
    return not isinstance(node, ast.Call) or (
        isinstance(function, ast.Attribute) and torch_effects.moves_or_casts(function.attr)
    )


def _assigns(statement: ast.AST | None, value: ast.expr, held: ast.Name) -> bool:
    """Whether a statement assigns a value to a name, and to no other."""
    if not isinstance(statement, ast.Assign) or statement.value is not value:
        return False
    targets = statement.targets
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == held.id


def _gives_new_list(binding: Binding, facts: Facts) -> bool:
    if binding.kind != "assign" or binding.path or binding.is_shared:
        return False
    if isinstance(binding.value, ast.Call):
        return facts.names.builtin(binding.value.func) in _MAKE_LISTS
    return isinstance(binding.value, (ast.List, ast.ListComp))


def _only_reads(use: ast.expr, facts: Facts) -> bool:
    """``for x in xs``, ``xs[0]``, ``len(xs)``."""
    around = facts.parent(use)
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is use
    if isinstance(around, ast.Subscript):
        is_one = not isinstance(around.slice, ast.Slice)
        return around.value is use and is_one and isinstance(around.ctx, ast.Load)
    return isinstance(around, ast.Call) and facts.names.builtin(around.func) in _READ_AT_ONCE
