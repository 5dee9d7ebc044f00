"""What a call of a parameter gives, where all calls of its function pass functions of this file."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.parameters import argument_for, call_sites
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.values.lattice import NOTHING, UNKNOWN, Function, Nothing, Value, join


def value_by_given_functions(call: ast.Call, facts: Facts) -> Value:
    """The value of ``make(optimizer)`` in ``def run(make)``: what all functions given return.

    Args:
        call: a call of what may be a parameter.
        facts: the facts of its module.

    Returns:
        Unknown where another file may call the function around, and for methods.
    """
    if not isinstance(call.func, ast.Name):
        return UNKNOWN
    function, parameter = parameter_held(call.func, facts)
    if function is None or parameter is None or isinstance(facts.parent(function), ast.ClassDef):
        return UNKNOWN
    if facts.is_used_elsewhere(function.name) or facts.classes.is_wrapped(function):
        return UNKNOWN
    result: Value = NOTHING
    for site in call_sites(facts.inference, function):
        given = argument_for(function, parameter, site, False)
        made = UNKNOWN if given is None else facts.value(given)
        if not isinstance(made, Function):
            return UNKNOWN
        result = join(result, facts.inference.called(made, call))
    return UNKNOWN if isinstance(result, Nothing) else result
