"""The functions of the project whose results a call gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.parameters import may_take
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import methods_named
from torchfix_codemods.facts.paths.called import functions_run
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.named import function_named, run_by_value
from torchfix_codemods.facts.paths.project_imports import function_offered
from torchfix_codemods.facts.values.lattice import Module

_Body = tuple[Facts, ast.FunctionDef]


def function_called(facts: Facts, call: ast.Call) -> _Body | None:
    """The function of the project that a call runs, and its file."""
    found = function_named(call.func, facts)
    if found is None and isinstance(call.func, ast.Name):
        return function_offered(facts, call.func)
    return found


def bodies_run(facts: Facts, call: ast.Call, *, may_be_likely: bool) -> list[_Body]:
    """The functions of the project that a call runs, each with its file; none where none is known.

    Args:
        facts: the facts of the module.
        call: the call, also of a module, or of what all callers of its function give.
        may_be_likely: whether those will do that the project is seen to hand in there, where a
            caller may be out of sight, or that only have the name of a method that is called:
            ``model.loss(x)`` of ``def train(model)``.
    """
    found = function_called(facts, call) or _forward_run(facts, call)
    if found is not None:
        return [found]
    return (functions_run(call, facts) or [*_by_name(facts, call)]) if may_be_likely else []


def _by_name(facts: Facts, call: ast.Call) -> Iterator[_Body]:
    """The methods of the project that have the name of one that is called of whatever."""
    method = call.func
    if isinstance(method, ast.Attribute) and not torch_table.is_method(method.attr):
        for home, body in methods_named(facts, method.attr):
            if may_take(body, call, home.classes.gets_object(body)):
                yield home, body


def _forward_run(facts: Facts, call: ast.Call) -> _Body | None:
    """What a module of the project runs, also one that all callers of the function give it."""
    value = facts.value(call.func)
    if not isinstance(value, Module):
        value = value_by_all_calls(call.func, facts)
    return run_by_value(value, facts) if isinstance(value, Module) else None
