"""Calls that a function or class of the project refuses: of too many arguments, or without some."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.evaluation.parameters import may_take
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.classes_below import is_redefined_below
from torchfix_codemods.facts.paths.named import class_named, function_run, gets_object_before


def is_refused(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call runs certainly has other parameters.

    What a decorator makes of a function may take anything, as may the method of a class below.
    """
    found = function_run(call.func, facts)
    if found is None or found[1].decorator_list:
        return False
    home, function = found
    made = class_named(call.func, facts)
    if made is not None and not _is_plain(made[1], made[0]):
        return False
    is_made = made is not None
    bound = is_made or gets_object_before(home, function, call, facts)
    if may_take(function, call, bound) or is_set_by_others(home.inference, function.name):
        return False
    owner = home.parent(function)
    if not isinstance(owner, ast.ClassDef):
        return True
    return _is_plain(owner, home) and (is_made or not is_redefined_below(home, function))


def _is_plain(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether nothing but the constructor of a class, and its bases, says how it is called."""
    return not any(
        one.decorator_list
        or one.keywords
        or facts.classes.has_own(one, "__new__")
        or facts.classes.kind(one) == "unknown"
        for one in facts.classes.bases(cls)
    )
