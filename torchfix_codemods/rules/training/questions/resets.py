"""Training parts that an evaluation before them leaves in evaluation mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.last_rounds import is_of_last_round
from torchfix_codemods.facts.language.nodes import LOOPS, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model
from torchfix_codemods.record import record
from torchfix_codemods.rules.questions.own_lines import stands_alone
from torchfix_codemods.rules.training.questions.mode_places import (
    SIMPLE,
    first_statement,
    is_bound_at,
    leaves,
    model_run,
)
from torchfix_codemods.rules.training.questions.project_calls import passed
from torchfix_codemods.rules.training.questions.steps import Step


@record
class Reset:
    """A training part that needs ``model.train()`` in front of it."""

    place: ast.stmt
    """The statement before which the line goes."""
    model: str
    """How the model is written there."""


class Unclear(Exception):
    """A training part follows an evaluation, and where ``train()`` should go is not certain.

    Args:
        evaluation: what puts the model into evaluation mode.
    """

    def __init__(self, evaluation: Step | None = None) -> None:
        super().__init__()
        self.evaluation = evaluation


def missing_resets(
    facts: Facts, model: Model, steps: list[Step], infers: frozenset[ast.AST] = frozenset()
) -> list[Reset]:
    """The training parts that an evaluation leaves in evaluation mode.

    Args:
        facts: the facts of the module.
        model: the model.
        steps: the steps of one root.
        infers: runs of the model that are about to be put into evaluation mode.

    Raises:
        Unclear: there is such a part, but no certain place for the line.
    """
    found = _missing(facts, model, steps, False, infers)
    return list({reset.place: reset for reset in found}.values())


def _missing(
    facts: Facts, model: Model, steps: list[Step], is_loop: bool, infers: frozenset[ast.AST]
) -> Iterator[Reset]:
    items = _expanded(steps, infers)
    for item in items:
        if item.kind == "loop" and item.trains() and _evaluates(item, infers):
            yield from _missing(facts, model, item.children, True, infers)
    flat = [i for i in items if not (i.kind == "loop" and i.trains() and _evaluates(i, infers))]
    trainings = [i for i in flat if i.trains()]
    in_place = {item.kind for item in flat if item.facts is facts}
    if not trainings and is_loop and {"run", "backward", "step"} <= in_place:
        everything = [step for item in flat for step in item.all()]
        evaluation = next((s for s in everything if s.kind == "eval" or s.node in infers), None)
        if evaluation is not None and not any(map(_may_train, everything)):
            raise Unclear(evaluation)
    for training in trainings:
        is_here = training.facts is facts or _use_in(facts, model, training) is not None
        # What stands in another file is found there.
        if is_here and _is_left_in_evaluation(flat, training, is_loop, infers):
            yield _reset(facts, model, training, flat)


def _expanded(steps: list[Step], infers: frozenset[ast.AST]) -> list[Step]:
    """The steps, with the calls opened that both train and evaluate.

    A loop that evaluates in its last round only trains all the way, and then evaluates.
    """
    result: list[Step] = []
    for step in steps:
        is_opened = step.kind == "call" or (step.kind == "loop" and _ends_by(step, infers))
        if is_opened and step.trains() and _evaluates(step, infers):
            result += _expanded(step.children, infers)
        else:
            result.append(step)
    return result


def _evaluates(step: Step, infers: frozenset[ast.AST]) -> bool:
    return any(s.kind == "eval" or s.node in infers for s in step.all())


def _ends_by(loop: Step, infers: frozenset[ast.AST]) -> bool:
    """Whether a loop evaluates in its last round only."""
    return all(
        is_of_last_round(loop.facts.names, item.node, loop.node)
        for item in loop.children
        if _evaluates(item, infers)
    )


def _is_left_in_evaluation(
    flat: list[Step], training: Step, is_loop: bool, infers: frozenset[ast.AST]
) -> bool:
    """Whether the last thing that set the mode before ``training`` was an evaluation."""
    if any(map(_may_train, training.all())):
        return False
    index = flat.index(training)
    before = flat[:index][::-1] + (flat[index + 1 :][::-1] if is_loop else [])
    has_run = False
    for item in before:
        for step in reversed(list(item.all())):
            if _may_train(step):
                return False
            if step.node in infers:
                return True
            if step.kind == "run" and not item.trains():
                has_run = True
            if step.kind == "eval":
                # eval() right before the training is meant: frozen batch statistics.
                return has_run
    return False


def _may_train(step: Step) -> bool:
    return step.kind in ("train", "unseen")


def _reset(facts: Facts, model: Model, training: Step, flat: list[Step]) -> Reset:
    use = _use_in(facts, model, training)
    if use is None:
        raise Unclear
    owner = facts.names.enclosing_function(use)
    if training.kind == "call" and use in walk(training.node):
        place = facts.statement(training.node)
        if not isinstance(place, SIMPLE):
            raise Unclear
    elif training.kind == "call":
        if owner is None or owner is not training.function:
            raise Unclear
        place = first_statement(owner)
    elif training.facts is facts and isinstance(training.node, ast.stmt):
        if owner is not facts.names.enclosing_function(training.node):
            raise Unclear
        place = training.node
        around = facts.parent(place)
        if isinstance(around, LOOPS) and flat[0] is training:
            place = around.body[0]
    else:
        raise Unclear
    if not is_bound_at(facts, use, place) or not stands_alone(facts, place):
        raise Unclear
    return Reset(place, ast.unparse(use))


def _use_in(facts: Facts, model: Model, training: Step) -> ast.expr | None:
    """How this file writes the model where it is trained: run here, or given to another file."""
    for step in training.all():
        if step.facts is not facts or not isinstance(step.node, ast.Call):
            continue
        if step.kind == "run":
            return model_run(step.node)
        if leaves(step) and step.has("run"):
            return passed(facts, model, step.node)
    return None
