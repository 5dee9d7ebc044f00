"""Training that goes on in evaluation mode after the first `eval()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import count_own_comments, with_line_before
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import may_meet
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.training.questions.known_models import is_about_another, module_of
from torchfix_codemods.rules.training.questions.mode_layers import has_mode_layers, sets_modes
from torchfix_codemods.rules.training.questions.mode_results import gives_by_mode
from torchfix_codemods.rules.training.questions.passed_models import models_passed_on
from torchfix_codemods.rules.training.questions.resets import Reset, Unclear, missing_resets
from torchfix_codemods.rules.training.questions.steps import may_be_held, roots
from torchfix_codemods.rules.training.questions.trainers import missing_in_methods
from torchfix_codemods.text.wording import worded


class MissingTrain(Rule):
    """
    ## What it does
    Adds `model.train()` where training starts again after the model was put into evaluation mode:
    at the start of the training function, or of the epoch; before the call, where the training
    function is in another file. The methods of a class that trains `self.model` get it where
    another file calls them in that order.

    ## Why
    `eval()` holds until somebody calls `train()`. In a program whose epochs train and then
    validate, dropout is off and BatchNorm no longer learns from the second epoch on, without any
    error.

    ## Example
    ```python
    for epoch in range(10):
        for x, y in train_loader:
            ...
            optimizer.step()
        model.eval()
        validate(model)
    ```
    becomes
    ```python
    for epoch in range(10):
        model.train()
        for x, y in train_loader:
            ...
            optimizer.step()
        model.eval()
        validate(model)
    ```

    ## Numbers
    Changed, as meant: from the second epoch on dropout and BatchNorm train again.

    ## When it stays its hand
    Where `train()` is called anywhere between, or the model goes to code that cannot be seen, where
    `eval()` comes right before the training (a model that is trained in evaluation mode on
    purpose), where single layers are kept in evaluation mode
    (`for m in model.modules(): if isinstance(m, nn.BatchNorm2d): m.eval()`), where the model has no
    layer that knows a mode, where `forward()` returns something of another form in evaluation, and
    where it is not certain which model is meant.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
    - https://github.com/pytorch/tutorials/issues/1624
    """

    code = "TP602"
    name = "missing-train"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"eval", "torch", "train"})
    message = "the model is still in evaluation mode here from the second epoch on: train()"

    def find_Module(self, tree: ast.Module, facts: Facts) -> Iterator[Found]:
        if ast.Assign not in facts.names.nodes:
            return
        for model, sample in _evaluated(facts).items():
            if not _is_seen_whole(facts, model, sample):
                continue
            try:
                resets = _missing(facts, model)
            except Unclear as unclear:
                left = worded(sample, "")
                message = (
                    f"training goes on{' with ' if left else ''}{left} in evaluation mode after"
                    f" this: call {left}{'.' if left else ''}train() again"
                )
                yield self.advice(_place(facts, unclear) or sample, message)
                continue
            for place, written in {reset.place: reset.model for reset in resets}.items():
                line = f"{written}.train()"
                own = count_own_comments(place, facts, line)
                yield self.found(place, line=line, own_comments=own)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Any:
        # The region can be a statement of any kind.
        assert isinstance(updated, cst.BaseStatement)
        return with_line_before(updated, self.data["line"])


def _place(facts: Facts, unclear: Unclear) -> ast.expr | None:
    """The model in the call that is told of, where that is in this file."""
    step = unclear.evaluation
    if step is None or step.facts is not facts or not isinstance(step.node, ast.Call):
        return None
    function = step.node.func
    return function.value if isinstance(function, ast.Attribute) else None


def _evaluated(facts: Facts) -> dict[Model, ast.expr]:
    """The models that this file evaluates, or gives to another file that does, each with a
    place."""
    result: dict[Model, ast.expr] = {}
    given = models_passed_on(facts) if may_meet(facts, "eval", "train") else []
    if given or facts.speaks_of(".backward(") or facts.speaks_of(".step("):
        for call, mode in mode_calls(facts):
            assert isinstance(call.func, ast.Attribute)
            model = model_of(facts, call.func.value)
            if mode == "eval" and model is not None:
                result.setdefault(model, call.func.value)
    for passed in given:
        if passed.model not in result and passed.may_be_evaluated:
            result[passed.model] = passed.given
    return result


def _is_seen_whole(facts: Facts, model: Model, sample: ast.expr) -> bool:
    """Whether all that sets the mode of a model can be seen, and it may make a difference."""
    value = module_of(facts, sample) or facts.value(sample)
    if has_mode_layers(facts, value) is False or gives_by_mode(facts, value):
        return False
    if getattr(value, "origin", None) is not None and sets_modes(facts, value):
        return False
    for call, _ in mode_calls(facts):
        assert isinstance(call.func, ast.Attribute)
        if model_of(facts, call.func.value) != model:
            if not is_about_another(facts, call, model, sample):
                return False
    return not may_be_held(facts, model)


def _missing(facts: Facts, model: Model) -> list[Reset]:
    found = [r for steps in roots(facts, model) for r in missing_resets(facts, model, steps)]
    return [*found, *missing_in_methods(facts, model)]
