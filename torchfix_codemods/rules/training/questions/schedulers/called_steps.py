"""Schedulers that step above a call, and once more in the function that is called to train."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import given_by_known_calls
from torchfix_codemods.rules.training.questions.schedulers.step_places import place_of


def is_stepped_by_callers(step: ast.Call, facts: Facts) -> bool:
    """Whether all that calls the function of a step makes one of its own above that call.

    All rates of the two come one step() too early, not two: the one above goes below, and this one
    stays.
    """
    scheduler = step.func.value if isinstance(step.func, ast.Attribute) else None
    if not isinstance(scheduler, ast.Name) or facts.names.enclosing_function(step) is None:
        return False
    found = [
        given is not None and _steps_above(given, there)
        for given, there in given_by_known_calls(scheduler, facts)
    ]
    return bool(found) and all(found)


def _steps_above(given: ast.expr, facts: Facts) -> bool:
    """Whether a scheduler steps above what gives it to a function, at the top of its round, or of
    its function."""
    around = set(facts.names.ancestors(given))
    return any(
        isinstance(step.func, ast.Attribute)
        and same_expression(step.func.value, given)
        and step.lineno < given.lineno
        and (place := place_of(step, facts)) is not None
        and place.owner in around
        for step in facts.names.method_calls("step")
    )
