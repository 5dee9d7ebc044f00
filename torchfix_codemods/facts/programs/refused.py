"""Calls that a function or class of the project refuses: of too many arguments, or without some."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.parameters import may_take
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import class_named, gets_object_before
from torchfix_codemods.facts.programs.certain_calls import function_called, is_certainly_run


def is_refused(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call runs certainly has other parameters."""
    found = function_called(call, facts)
    if found is None:
        return False
    home, function = found
    is_made = class_named(call.func, facts) is not None
    bound = is_made or gets_object_before(home, function, call, facts)
    return not may_take(function, call, bound) and is_certainly_run(call, home, function, facts)
