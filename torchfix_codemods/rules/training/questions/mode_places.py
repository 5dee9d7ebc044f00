"""Where a line that sets the mode of a model can go, and how the model is written there."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import first_name, is_docstring
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.training.questions.steps import Step

SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
"""Statements before which a line runs as often as they do."""


def leaves(step: Step) -> bool:
    """Whether a step is the call of a function of another file."""
    return step.kind == "call" and step.children[0].facts is not step.facts


def model_run(run: ast.Call) -> ast.expr:
    """The expression of the model that a call runs."""
    function = run.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        return function.value
    return function


def first_statement(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """The first statement of a function that does something."""
    for statement in function.body:
        if not is_docstring(statement) and not isinstance(statement, (ast.Global, ast.Nonlocal)):
            return statement
    return function.body[-1]


def is_bound_at(facts: Facts, model: ast.expr, place: ast.stmt) -> bool:
    """Whether the expression of a model means the same before ``place`` as where it stands."""
    root = first_name(model)
    if root is None:
        return False
    found = facts.names.scope_of(root).lookup(root.id)
    here = facts.names.scope_of(place).lookup(root.id)
    if found is None or here is None or found[0] is not here[0]:
        return False
    if found[0] is not facts.names.scope_of(place):
        return True
    return set(facts.flow.reaching_before(place, root.id)) == set(facts.flow.reaching(root))
