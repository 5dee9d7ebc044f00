"""Calls of functions of the project, and for which parameter they pass a model."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation import classes_elsewhere, parameters
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.values.lattice import Method, Module

OF_LIBRARIES = ("torch.", "torchvision.", "numpy.")


def passed_as(
    facts: Facts, model: Model, call: ast.Call, called: ast.FunctionDef
) -> ast.arg | None:
    """The parameter for which a call passes the model."""
    is_bound = classes_elsewhere.is_bound(facts.inference, facts.value(call.func), called)
    arguments = called.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        given = parameters.argument_for(called, parameter, call, is_bound)
        if given is not None and model_of(facts, given) == model:
            return parameter
    return None


def passed(facts: Facts, model: Model, call: ast.AST) -> ast.expr | None:
    """The variable that a call passes the model from."""
    assert isinstance(call, ast.Call)
    for given in values_given(call):
        if model_of(facts, given) == model:
            while isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
                given = given.func.value
            return given
    return None


def function_run_by(facts: Facts, call: ast.Call) -> tuple[Facts, ast.FunctionDef] | None:
    """The function of the project that a call runs, no method of a model, and its file's facts."""
    if not _may_be_of_project(facts, call.func):
        # Most functions are those of Python and torch, and values are dear to find out.
        return None
    callee = facts.value(call.func)
    is_of_module = isinstance(callee, Method) and isinstance(callee.receiver, Module)
    return None if is_of_module else function_named(call.func, facts)


def _may_be_of_project(facts: Facts, function: ast.expr) -> bool:
    """Whether a function or method that is called may be one that the project defines."""
    if (facts.name(function) or "").startswith(OF_LIBRARIES):
        return False
    if isinstance(function, ast.Attribute):
        name, files = function.attr, facts.files
        return name in facts.names.defined or (files is not None and files.is_defined(name))
    if isinstance(function, ast.Name) and not facts.names.unknown_star_imports:
        return facts.names.scope_of(function).lookup(function.id) is not None
    return True
