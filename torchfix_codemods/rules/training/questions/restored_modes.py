"""Where the mode of a model can be set for an inference alone, and be what it was afterwards."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.language.nodes import LOOPS, own_nodes, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import known_calls
from torchfix_codemods.rules.questions.own_lines import stands_alone
from torchfix_codemods.rules.training.questions.modes import Inference

#: The name under which the mode is kept.
KEPT = "was_training"

_LEAVING = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Try, ast.Assert)


def has_unseen_callers_only(facts: Facts, place: ast.stmt) -> bool:
    """Whether no call in the project is certainly of the function around a place."""
    function = facts.names.enclosing_function(place)
    if not isinstance(function, ast.FunctionDef) or call_sites(facts.inference, function):
        return False
    return not any(True for _ in known_calls(function, facts))


def span_of_inference(facts: Facts, place: ast.stmt, found: Inference) -> list[ast.stmt] | None:
    """The statements from a place to the last that runs the model, in its block.

    None where what comes behind them may not run, so that the mode would stay: by an early
    return, an exception of the code's own, in a generator.
    """
    function = facts.names.enclosing_function(place)
    if not isinstance(function, ast.FunctionDef):
        return None
    inside = set(own_nodes(function))
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside):
        return None
    if facts.names.scope_of(place).lookup(KEPT) is not None:
        return None
    block = facts.block(place)
    rest = block[block.index(place) :]
    last = _last_with(rest, found.runs)
    if last is None or not all(run in inside for run in found.runs):
        return None
    span = rest[: last + 1]
    if any(_leaves(facts, node, span) for statement in span for node in walk(statement)):
        return None
    return span if stands_alone(facts, span[0]) and stands_alone(facts, span[-1]) else None


def _last_with(statements: list[ast.stmt], runs: list[ast.AST]) -> int | None:
    """The index of the last statement with a run in it; None where one is in none of them."""
    held = [{index for index, s in enumerate(statements) if run in walk(s)} for run in runs]
    return max(index for found in held for index in found) if held and all(held) else None


def _leaves(facts: Facts, node: ast.AST, span: list[ast.stmt]) -> bool:
    """Whether a part of the statements may go on behind them, or not at all."""
    if isinstance(node, _LEAVING):
        return True
    if not isinstance(node, (ast.Break, ast.Continue)):
        return False
    loop = next(around for around in facts.names.ancestors(node) if isinstance(around, LOOPS))
    return not any(loop in walk(statement) for statement in span)
