"""Code that no caller runs without gradients, or hands a volatile value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import calls_of, others_with
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile.calls import (
    flagged_calls,
    volatile_calls,
)
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_run_recording(place: ast.AST, facts: Facts) -> bool:
    """Whether what runs at a place certainly records a graph, but for what the place itself says.

    So it is where the function is called in sight alone, under no ``no_grad``, and with nothing
    that comes of a volatile value; and so are the functions that call it. A function without
    parameters, and the code of a module, is given none; one that trains could not be given any.
    """
    own = facts.names.enclosing_function(place)
    if isinstance(own, ast.FunctionDef) and trains(own.body, facts):
        return True
    return _is_run_recording(place, facts, own, frozenset())


def _is_run_recording(
    place: ast.AST, facts: Facts, own: ast.AST | None, seen: frozenset[ast.AST]
) -> bool:
    function = next((a for a in facts.names.ancestors(place) if isinstance(a, _FUNCTIONS)), None)
    if function is None or function in seen:
        return True
    if not isinstance(function, ast.FunctionDef):
        return False
    calls = [] if facts.files is None else calls_of(facts, facts.files, function)
    if not calls:
        return _takes_nothing(function, facts)
    return all(
        not is_under_no_grad(call, there)
        and not _is_given_volatile(call, there, own)
        and _is_run_recording(call, there, own, seen | {function})
        for call, there in calls
    )


def _takes_nothing(function: ast.FunctionDef, facts: Facts) -> bool:
    taken = function.args
    has_some = taken.posonlyargs or taken.args or taken.kwonlyargs or taken.vararg or taken.kwarg
    is_plain = isinstance(facts.parent(function), ast.Module) and not function.decorator_list
    return is_plain and not has_some


def _is_given_volatile(call: ast.Call, facts: Facts, own: ast.AST | None) -> bool:
    """Whether a call may take what comes of a volatile value that something else made.

    Args:
        call: the call.
        facts: the facts of its file.
        own: the function whose flags are asked for, which say themselves what is volatile.
    """
    function, statement = facts.names.enclosing_function(call), facts.statement(call)
    for made, there in _volatile_in_project(facts):
        if made is call or there.names.enclosing_function(made) is own:
            continue
        flow = flow_of_call(made, there)
        if flow is None:
            return True
        if there.names.enclosing_function(made) is function and statement in flow.statements:
            return True
    return False


def _volatile_in_project(facts: Facts) -> Iterator[tuple[ast.Call, Facts]]:
    """What makes volatile values, but for what the callers of a helper ask for."""
    for there in (facts, *others_with("volatile", facts)):
        yield from ((call, there) for call in volatile_calls(there))
        for call, flag in flagged_calls(there):
            if Helper.around(call, flag, there) is None:
                yield call, there
