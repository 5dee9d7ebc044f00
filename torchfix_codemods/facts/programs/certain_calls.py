"""Which function or method of the project a call certainly runs, whatever derives from a class."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import super_object
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.classes_below import classes_below, is_redefined_below
from torchfix_codemods.facts.paths.named import (
    class_named,
    function_named,
    function_run,
    run_by_value,
)
from torchfix_codemods.facts.values.lattice import Method


def function_called(call: ast.Call, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """The function that a call runs, also that of the base class: ``super().check(x)``."""
    return facts.remembered(("function called", call), lambda: _found(call.func, facts))


def _found(function: ast.expr, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    return (
        function_run(function, facts) or function_named(function, facts) or _above(function, facts)
    )


def is_certainly_run(call: ast.Call, home: Facts, function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether nothing may come between a call and the function that it is found to run.

    What a decorator makes of a function may do anything, as may the method of a class below, or
    of a class that stands between another one and its base: ``class Both(Net, Mixed)``.

    Args:
        call: the call.
        home: the facts of the file that defines the function.
        function: what is found to be run.
        facts: the facts of the file of the call.
    """
    made = class_named(call.func, facts)
    if function.decorator_list or (made is not None and not is_plain_class(made[1], made[0])):
        return False
    if is_set_by_others(home.inference, function.name):
        return False
    owner = home.parent(function)
    if not isinstance(owner, ast.ClassDef):
        return True
    if not is_plain_class(owner, home):
        return False
    if _above(call.func, facts) is not None:
        return _has_single_bases(call, facts)
    if made is not None or is_named_by_class(call, facts):
        return True
    return not is_redefined_below(home, function)


def is_named_by_class(call: ast.Call, facts: Facts) -> bool:
    """Whether a method is taken from its class, or from the base: ``Base.forward(self, x)``."""
    return isinstance(call.func, ast.Attribute) and (
        class_named(call.func.value, facts) is not None or _above(call.func, facts) is not None
    )


def is_plain_class(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether nothing but the constructor of a class, and its bases, says how it is called."""
    return not any(
        one.decorator_list
        or one.keywords
        or facts.classes.has_own(one, "__new__")
        or facts.classes.kind(one) == "unknown"
        for one in facts.classes.bases(cls)
    )


def _above(function: ast.expr, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    if not isinstance(function, ast.Attribute):
        return None
    base = super_object(facts.inference, function.value)
    return run_by_value(Method(base, function.attr), facts)


def _has_single_bases(call: ast.Call, facts: Facts) -> bool:
    """Whether the class that a call of ``super()`` stands in is in lines of single classes only."""
    cls = facts.names.enclosing_class(call)
    if cls is None:
        return False
    below = classes_below(facts, cls)
    return below is not None and all(
        len(one.bases) <= 1 for one in (*facts.classes.bases(cls), *(c for _, c in below))
    )
