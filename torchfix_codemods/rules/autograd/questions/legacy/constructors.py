"""Constructors of legacy functions that can run at the start of forward."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import is_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.legacy.functions import is_super_call

#: What may have an effect, or another result when it is evaluated later.
ACTIVE = (ast.Call, ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.ListComp)


def only_stores(
    node: ast.ClassDef, constructor: ast.FunctionDef, forward: ast.FunctionDef, facts: Facts
) -> bool:
    """Whether a constructor can run at the start of ``forward`` just as well."""
    parameters = {a.arg for a in constructor.args.args[1:]}
    if parameters & names_taken(forward, facts):
        return False
    for statement in constructor.body:
        if isinstance(statement, ast.Pass) or is_super_call(statement):
            continue
        if not isinstance(statement, ast.Assign):
            return False
        if not all(_is_own_attribute(t, constructor) for t in statement.targets):
            return False
        if not _is_made_of(statement.value, parameters, facts):
            return False
    return True


def names_taken(forward: ast.FunctionDef, facts: Facts) -> set[str]:
    """The names that a further parameter of ``forward`` cannot have.

    One that ``forward`` assigns to is free: nothing can read it before.
    """
    bindings = facts.names.scopes[forward].bindings
    own = {n for n, all_of in bindings.items() if all(b.kind != "parameter" for b in all_of)}
    inside = {n.id for n in ast.walk(forward) if isinstance(n, ast.Name)} - own
    return inside | {a.arg for a in ast.walk(forward) if isinstance(a, ast.arg)}


def _is_made_of(value: ast.expr, parameters: set[str], facts: Facts) -> bool:
    """Whether a value hangs on parameters alone, and comes to the same a little later."""
    for part in ast.walk(value):
        if isinstance(part, ast.Call) and _is_conversion(part.func, facts) and not part.keywords:
            continue
        if isinstance(part, ACTIVE):
            return False
        if isinstance(part, ast.Name) and part.id not in parameters:
            # What the constructor finds outside may be something else by then.
            if not _is_conversion(part, facts):
                return False
    return True


def _is_conversion(function: ast.expr, facts: Facts) -> bool:
    """``int``, ``float`` and the like, which give the same whenever they are called."""
    return facts.names.builtin(function) in ("int", "float", "bool", "str")


def _is_own_attribute(target: ast.expr, constructor: ast.FunctionDef) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_is_own_attribute(t, constructor) for t in target.elts)
    return isinstance(target, ast.Attribute) and is_name(target.value, constructor.args.args[0].arg)
