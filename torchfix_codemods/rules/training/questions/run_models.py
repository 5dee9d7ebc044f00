"""Which models with dropout or BatchNorm code outside of modules runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import may_meet, takes_from_project
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.recording.no_grad import NO_GRAD_CONTEXTS
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.training.questions.inferring import may_infer
from torchfix_codemods.rules.training.questions.known_models import module_of, variable_name
from torchfix_codemods.rules.training.questions.mode_layers import (
    has_mode_layers,
    normalizes_by_batch,
    sets_modes,
)
from torchfix_codemods.rules.training.questions.mode_places import model_run
from torchfix_codemods.rules.training.questions.mode_results import gives_by_mode
from torchfix_codemods.rules.training.questions.passed_models import models_passed_on


def run_models(facts: Facts) -> dict[Model, ast.expr]:
    """The models with such layers that code outside of modules runs, each with a place."""
    result: dict[Model, ast.expr] = {}
    for used in (*_run_here(facts), *_passed_on(facts)):
        model = model_of(facts, used)
        value = None if model is None or model in result else module_of(facts, used)
        if model is None or value is None or not has_mode_layers(facts, value):
            continue
        if normalizes_by_batch(facts, value) or _is_dropout(value) or gives_by_mode(facts, value):
            continue
        if value.origin is None or not sets_modes(facts, value):
            result[model] = used
    return result


def _is_dropout(value: Module) -> bool:
    """Whether a model is nothing but dropout, which is run by itself to look at its noise."""
    return "Dropout" in (value.cls or "").rpartition(".")[2]


def _run_here(facts: Facts) -> Iterator[ast.expr]:
    """What is called like a function in code outside of modules, and is no name of a library.

    Of what infers nowhere in the file there is nothing to say.
    """
    inferring = {variable_name(model_run(call)) for call in may_infer(facts)}
    for node in facts.names.nodes.get(ast.Call, ()) if inferring else ():
        assert isinstance(node, ast.Call)
        used = model_run(node)
        if variable_name(used) not in inferring or facts.name(used) is not None:
            continue
        if not (facts.names.may_be_built_here(used) or takes_from_project(facts)):
            continue
        owner = facts.names.enclosing_class(node)
        if owner is None or facts.classes.kind(owner) == "plain":
            yield used


def _passed_on(facts: Facts) -> Iterator[ast.expr]:
    """What may be a model, and is given to a function of another file, which may infer."""
    if not may_meet(facts, *NO_GRAD_CONTEXTS, "volatile"):
        return
    for passed in models_passed_on(facts):
        if facts.files is not None and passed.gives_volatile:
            # The other file says so once its volatile has become no_grad.
            facts.files.waits = True
        yield passed.given
