"""Where a model infers, and before what ``eval()`` is missing there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, LOOPS, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import NoneValue, Number
from torchfix_codemods.rules.questions.own_lines import stands_alone
from torchfix_codemods.rules.training.questions.inferring import is_over_data
from torchfix_codemods.rules.training.questions.mode_places import (
    SIMPLE,
    first_statement,
    is_bound_at,
    leaves,
    model_run,
)
from torchfix_codemods.rules.training.questions.project_calls import passed
from torchfix_codemods.rules.training.questions.steps import Step, roots, steps_in

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Inference:
    """A part of a program that only infers."""

    model: str
    """How the model is written there."""
    runs: list[ast.AST]
    """The calls that run the model, in whichever file."""


def inference_of(facts: Facts, model: Model) -> dict[ast.stmt, Inference]:
    """The statements before which ``eval()`` is missing if nothing else sets it.

    They are the first statement of each inference function, the loop or ``with`` block of
    inference inside of other code, and the call of a function of another file that infers.
    """
    found: dict[ast.stmt, Inference] = {}
    steps = [step for root in roots(facts, model) for step in _within(root)]
    training = {id(s) for s, loop in steps if loop is not None and _has_direct_backward(loop)}
    trained = {s.node for s, _ in steps if id(s) in training}
    for step in {s.node: s for s, _ in steps}.values():
        if step.facts is not facts or step.node in trained:
            continue
        if step.kind == "run":
            use, place = _place_of_run(facts, model, step.node)
        elif leaves(step) and not any(s.node in trained for s in step.all()):
            use, place = _place_of_call(facts, model, step)
        else:
            continue
        if use is not None and place is not None and stands_alone(facts, place):
            runs = [s.node for s in step.all() if s.kind == "run"]
            found.setdefault(place, Inference(ast.unparse(use), [])).runs.extend(runs)
    return found


_Place = tuple[ast.expr | None, ast.stmt | None]
"""How the model is written, and the statement before which it needs ``eval()``."""


def _place_of_run(facts: Facts, model: Model, run: ast.AST) -> _Place:
    assert isinstance(run, ast.Call)
    if _is_for_statistics(facts, run) or _is_sampled(facts, run):
        return None, None
    return model_run(run), _inference_around(facts, model, run)


def _place_of_call(facts: Facts, model: Model, call: Step) -> _Place:
    """Where a function of another file is called that certainly only infers."""
    runs = [step for step in call.all() if step.kind == "run"]
    function, use = call.function, passed(facts, model, call.node)
    if not runs or use is None or not isinstance(function, ast.FunctionDef) or _learns(call):
        return None, None
    if parameters.call_sites(call.children[0].facts.inference, function):
        # Its own file calls it as well, and is where to look.
        return None, None
    if not all(_infers(step) for step in runs):
        return None, None
    place = facts.statement(call.node)
    return use, place if isinstance(place, SIMPLE) and is_bound_at(facts, use, place) else None


def _infers(run: Step) -> bool:
    assert isinstance(run.node, ast.Call)
    return (
        is_under_no_grad(run.node, run.facts)
        and not _is_for_statistics(run.facts, run.node)
        and not _is_sampled(run.facts, run.node)
    )


def _is_for_statistics(facts: Facts, run: ast.Call) -> bool:
    """Nobody wants the result: BatchNorm is to see the data, or layers initialize by it."""
    above = facts.parent(run)
    if not isinstance(above, ast.Assign):
        return isinstance(above, ast.Expr)
    return all(_is_unread(facts, target) for target in above.targets)


def _is_unread(facts: Facts, target: ast.expr) -> bool:
    """Whether a name of a function is assigned and never read there: ``_ = model(x)``."""
    if not isinstance(target, ast.Name):
        return False
    found = facts.names.scope_of(target).lookup(target.id)
    if found is None or (found[0].kind == "module" and target.id != "_"):
        return False
    return not any(True for _ in facts.names.uses_of(found[0], target.id))


def _is_sampled(facts: Facts, run: ast.Call) -> bool:
    """``[model(x) for _ in range(50)]``: many outputs of one input are wanted to differ."""
    arguments = values_given(run)
    used = {n.id for a in arguments for n in walk(a) if isinstance(n, ast.Name)}
    for around in facts.names.ancestors(run):
        if isinstance(around, COMPREHENSIONS):
            return all(used.isdisjoint(_bound_in(g.target)) for g in around.generators)
        if isinstance(around, ast.For):
            return used.isdisjoint(_bound_in(around))
        if isinstance(around, _FUNCTIONS):
            return False
    return False


def _bound_in(node: ast.AST) -> set[str]:
    """The names that a loop sets, its own and those of its body."""
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _within(steps: list[Step], loop: Step | None = None) -> Iterator[tuple[Step, Step | None]]:
    """All steps, each with the innermost loop that runs it."""
    for step in steps:
        yield step, loop
        yield from _within(step.children, step if step.kind == "loop" else loop)


def _has_direct_backward(loop: Step) -> bool:
    """Whether each pass of a loop itself trains, not only a loop inside of it."""
    pending = [*loop.children]
    while pending:
        step = pending.pop()
        if step.kind == "backward":
            return True
        if step.kind == "call":
            pending += step.children
    return False


def _inference_around(facts: Facts, model: Model, run: ast.Call) -> ast.stmt | None:
    function = facts.names.enclosing_function(run)
    body = facts.tree.body if function is None else function.body
    if function is not None and not any(map(_learns, steps_in(facts, model, body))):
        if not _is_inference(facts, function, run):
            return None
        return _place_in(facts, function, run)
    around = [a for a in facts.names.ancestors(run) if isinstance(a, ast.stmt)]
    own = around[: around.index(function)] if function is not None else around
    statement = None
    for candidate in own:
        if not isinstance(candidate, (*LOOPS, ast.With)):
            continue
        if any(map(_learns, steps_in(facts, model, [candidate]))):
            break
        if _is_inference(facts, candidate, run):
            statement = candidate
    if statement is None or not isinstance(run.func, (ast.Name, ast.Attribute)):
        return None
    return statement if is_bound_at(facts, run.func, statement) else None


def _learns(step: Step) -> bool:
    return any(s.kind in ("backward", "step") for s in step.all())


def _is_inference(facts: Facts, block: ast.AST, run: ast.Call) -> bool:
    """Whether what the model computes in ``block`` certainly takes part in no training."""
    if is_under_no_grad(run, facts):
        return True
    nodes = list(walk(block))
    if any(
        isinstance(n, ast.keyword)
        and n.arg == "volatile"
        and isinstance(n.value, ast.Constant)
        and n.value.value
        for n in nodes
    ):
        return True
    over_data = any(
        loop in nodes and is_over_data(facts, loop) for loop in facts.names.ancestors(run)
    )
    return over_data and not any(
        isinstance(n, ast.Return)
        and n.value is not None
        and not isinstance(facts.value(n.value), (Number, NoneValue))
        for n in nodes
    )


def _place_in(
    facts: Facts, function: ast.FunctionDef | ast.AsyncFunctionDef, run: ast.Call
) -> ast.stmt | None:
    model = model_run(run)
    first = first_statement(function)
    if is_bound_at(facts, model, first):
        return first
    holding = next(s for s in function.body if run in walk(s))
    return holding if is_bound_at(facts, model, holding) else None
