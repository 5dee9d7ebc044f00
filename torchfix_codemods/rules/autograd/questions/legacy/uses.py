"""How a use of a legacy function is rewritten."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.edit.static_methods import Plan
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_called, uses_of
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.legacy.arguments import given_to_apply
from torchfix_codemods.rules.autograd.questions.legacy.functions import is_super_call


@record
class LegacyCall:
    """How a use of a class is rewritten."""

    node: ast.Call
    given: tuple[int | str, ...] | None = None
    """What ``apply`` gets beside the inputs: arguments of the constructor by their place, or the
    text of a default; None where only the object is made."""


def uses_in_file(facts: Facts, node: ast.ClassDef) -> list[ast.Name]:
    """Where the file of a class names it."""
    return list(facts.names.uses_of(facts.names.scope_of(node), node.name))


def calls_here(
    facts: Facts, node: ast.ClassDef, plan: Plan, is_used_elsewhere: Callable[[str], bool]
) -> list[LegacyCall] | None:
    """The calls in the file of a class; None where it is used in another way, too."""
    holder = facts.names.scope_of(node)
    if len(holder.bindings[node.name]) != 1:
        return None
    result = []
    for use in uses_in_file(facts, node):
        if node in facts.names.ancestors(use) and is_super_call(facts.statement(use)):
            continue
        call = call_by(facts, use, plan, is_used_elsewhere)
        if call is None:
            return None
        result.append(call)
    return result


def call_by(
    facts: Facts, use: ast.expr, plan: Plan, is_used_elsewhere: Callable[[str], bool]
) -> LegacyCall | None:
    """How the call of a class that is named is rewritten; None where that is not certain."""
    built = facts.parent(use)
    if not isinstance(built, ast.Call) or built.func is not use:
        return None
    called = facts.parent(built)
    if isinstance(called, ast.Call) and called.func is built:
        given = given_to_apply(called, built, plan)
        return None if given is None else LegacyCall(called, given)
    if plan.keeps_state or built.args or built.keywords:
        return None
    return LegacyCall(built) if _is_only_called(built, facts, is_used_elsewhere) else None


def _is_only_called(
    built: ast.Call, facts: Facts, is_used_elsewhere: Callable[[str], bool]
) -> bool:
    """Whether an object is stored in a name, or in an attribute, that is only ever called."""
    statement = facts.parent(built)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if isinstance(target, ast.Subscript):
        # Among the modules of a model, which calls them.
        return isinstance(target.value, ast.Attribute) and target.value.attr == "_modules"
    if isinstance(target, ast.Attribute):
        others = [a for a in facts.names.attributes(target.attr) if a is not target]
        return not is_used_elsewhere(target.attr) and all(
            _is_called(other, facts) for other in others
        )
    if not isinstance(target, ast.Name):
        return False
    scope = facts.names.scope_of(target)
    found = scope.lookup(target.id)
    if found is None or len(found[1]) != 1:
        return False
    if found[0] is facts.names.module and is_used_elsewhere(target.id):
        return False
    return all(_is_called(use, facts) for use in uses_of(facts, found[1][0]))


def _is_called(node: ast.expr, facts: Facts) -> bool:
    parent = facts.parent(node)
    return isinstance(parent, ast.Call) and is_called(facts, node) and not parent.keywords
