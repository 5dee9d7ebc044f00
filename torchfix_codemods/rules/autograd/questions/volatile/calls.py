"""What is volatile: the flags that calls are given, and the calls that make something volatile."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.outcomes import outcome_there
from torchfix_codemods.rules.autograd.questions.volatile.elsewhere import helper_elsewhere
from torchfix_codemods.rules.autograd.questions.volatile.given import (
    VARIABLE,
    VOLATILE_POSITION,
    Flag,
    is_off,
    is_set,
)
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper


def flag_given(call: ast.Call, facts: Facts) -> Flag | None:
    """The volatile flag that a call has, or could have; None for all other calls."""
    if is_opaque(call):
        return None
    if facts.name(call.func) == VARIABLE:
        value = argument(call, VOLATILE_POSITION, "volatile")
        if value is not None and outcome_there(value, facts) is False:
            # `volatile=not train` below `if train:` is written out as well as this.
            value = ast.Constant(False)
        return Flag(value, "volatile", VOLATILE_POSITION, of_variable=True)
    passed_on = volatile_passed_on(call, facts.names)
    if passed_on is not None:
        return Flag(passed_on, "volatile", VOLATILE_POSITION)
    helper = helper_elsewhere(call, facts)
    return None if helper is None else helper.given(call)


def line_of_flag(call: ast.Call, facts: Facts) -> int:
    """The line of the file where a call is given its flag, or else where the call begins."""
    value = argument(call, VOLATILE_POSITION, "volatile")
    if value is None:
        given = flag_given(call, facts)
        value = None if given is None else given.value
    return facts.origin((call if value is None else value).lineno)


def volatile_option(options: ast.Dict | ast.Call, facts: Facts) -> ast.expr | None:
    """The flag of ``options = {"volatile": flag}``, with ``Variable(x, **options)`` below.

    So it is of ``dict(volatile=True)``, also where a test chooses between it and another one.
    """
    named: Iterable[tuple[object, ast.expr]]
    if isinstance(options, ast.Dict):
        named = zip(map(constant, options.keys), options.values, strict=True)
    elif facts.names.builtin(options.func) == "dict":
        named = ((keyword.arg, keyword.value) for keyword in options.keywords)
    else:
        return None
    flag = next((value for name, value in named if name == "volatile"), None)
    if flag is None or is_off(flag):
        return None
    return flag if any(_makes_variable(use, facts) for use in _uses_of(options, facts)) else None


def _uses_of(options: ast.expr, facts: Facts) -> list[ast.expr]:
    """A dict, where it is written in a call, or what reads the name that it is assigned to."""
    while isinstance(around := facts.parent(options), ast.IfExp):
        options = around
    statement = facts.statement(options)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if not (isinstance(statement, ast.Assign) and statement.value is options):
        return [options]
    names = (target for target in targets if isinstance(target, ast.Name))
    scope = facts.names.scope_of(statement)
    return [use for name in names for use in facts.names.uses_of(scope, name.id)]


def _makes_variable(options: ast.expr, facts: Facts) -> bool:
    """Whether ``options`` are those of ``Variable(x, **options)``."""
    keyword = facts.parent(options)
    call = facts.parent(keyword) if isinstance(keyword, ast.keyword) else None
    is_unpacked = isinstance(keyword, ast.keyword) and keyword.arg is None
    return is_unpacked and isinstance(call, ast.Call) and facts.name(call.func) == VARIABLE


def volatile_calls(facts: Facts) -> list[ast.Call]:
    """All ``Variable(…, volatile=True)`` of the file, and calls of helpers that stand for one."""
    return facts.remembered("TP102", lambda: _find_volatile_calls(facts))


def _find_volatile_calls(facts: Facts) -> list[ast.Call]:
    flagged = {call for call, flag in _calls_of_helpers(facts) if is_set(flag)}
    return [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and (call in flagged or _is_volatile(call, facts))
    ]


def _calls_of_helpers(facts: Facts) -> Iterator[tuple[ast.Call, ast.expr | None]]:
    """The calls of helpers of the file, with the flags that they give or leave at their default."""
    for function in facts.names.nodes.get(ast.FunctionDef, ()):
        helper = Helper.of(function, facts) if isinstance(function, ast.FunctionDef) else None
        if helper is not None:
            yield from ((c, helper.flag_of(c)) for c in helper.calls() if not is_opaque(c))


def helper_called(call: ast.Call, facts: Facts) -> tuple[Helper, Facts] | None:
    """The helper, of this file or of another one, that a call gives its flag, and its facts."""
    for function in facts.names.nodes.get(ast.FunctionDef, ()):
        helper = Helper.of(function, facts) if isinstance(function, ast.FunctionDef) else None
        if helper is not None and call in helper.calls():
            return helper, facts
    elsewhere = helper_elsewhere(call, facts)
    return None if elsewhere is None else (elsewhere, elsewhere.facts)


def flagged_calls(facts: Facts) -> list[tuple[ast.Call, ast.expr]]:
    """The calls that make something volatile by a flag that is calculated, with this one."""
    return facts.remembered("TP102 flagged", lambda: _find_flagged_calls(facts))


def _find_flagged_calls(facts: Facts) -> list[tuple[ast.Call, ast.expr]]:
    of_helpers = dict(_calls_of_helpers(facts))
    found: list[tuple[ast.Call, ast.expr]] = []
    for call in facts.names.nodes.get(ast.Call, ()):
        if isinstance(call, ast.Call):
            given = flag_given(call, facts)
            flag = of_helpers.get(call) if given is None else given.value
            is_followed = given is None or given.is_off_by_default
            if is_followed and flag is not None and not isinstance(flag, ast.Constant):
                found.append((call, flag))
    return found


def _is_volatile(call: ast.Call, facts: Facts) -> bool:
    flag = flag_given(call, facts)
    return flag is not None and is_set(flag.value)
