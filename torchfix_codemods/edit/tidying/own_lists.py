"""Lists that are made of the list of the same name, and of no other."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
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
    statement = facts.parent(value)
    if not isinstance(statement, ast.Assign) or statement.value is not value:
        return False
    targets = statement.targets
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or targets[0].id != held.id:
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
