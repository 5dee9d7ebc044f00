"""Runs of models in functions that are called tests, and do nothing that trains."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries.losses import LOSSES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.autograd.questions.outcomes.evaluation_runs import has_own_ways

#: What functions are called that test a model, and nothing else.
TESTS = frozenset(
    """eval_epoch evaluate evaluate_epoch evaluate_model evaluation test test_epoch test_model val
    val_epoch validate validate_epoch validate_model validation""".split()
)


def runs_in_test(function: ast.FunctionDef, facts: Facts) -> list[ast.Call]:
    """The runs of models in the loops of ``def test(…)``, where nothing sets a mode or trains."""
    if function.name not in TESTS or function.decorator_list:
        return []
    inside = set(walk(function))
    if any(call in inside for call, _ in mode_calls(facts)):
        return []
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    runs = [call for call in calls if _is_run_in_loop(call, function, facts)]
    if (
        all(_is_of_loss(run, facts) for run in runs)
        or trains(function.body, facts)
        or has_own_ways(runs[0], facts)
    ):
        return []
    if any(is_version_checked(facts, run) for run in runs):
        return []
    sites = call_sites(facts.inference, function)
    is_held = bool(sites) and all(is_under_no_grad(site, facts) for site in sites)
    return [] if is_held else runs


def _is_run_in_loop(call: ast.Call, function: ast.FunctionDef, facts: Facts) -> bool:
    if facts.names.enclosing_function(call) is not function:
        return False
    if not any(isinstance(each, ast.For) for each in facts.names.ancestors(call)):
        return False
    return facts.is_module(call.func) and not is_under_no_grad(call, facts)


def _is_of_loss(run: ast.Call, facts: Facts) -> bool:
    """Whether a call is of a loss of torch, which has no graph but that of the model before it."""
    value = facts.value(run.func)
    return isinstance(value, Module) and value.cls in LOSSES
