"""Training that goes on in evaluation mode after the first `eval()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst

from torchfix_codemods.edit.lines import with_line_before
from torchfix_codemods.facts.models import has_mode_layers, is_about_another, model_of
from torchfix_codemods.facts.modes import Unclear, missing_resets, mode_calls, mode_of, roots
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class MissingTrain(Rule):
    """
    ## What it does
    Adds `model.train()` where training starts again after the model was put into evaluation mode:
    at the start of the training function, or of the epoch.

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
    Where `train()` is called anywhere between, where `eval()` comes right before the training (a
    model that is trained in evaluation mode on purpose), where single layers are kept in
    evaluation mode (`for m in model.modules(): if isinstance(m, nn.BatchNorm2d): m.eval()`), where
    the model has no layer that knows a mode, and where it is not certain which model is meant.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
    - https://github.com/pytorch/tutorials/issues/1624
    """

    code = "TP602"
    name = "missing-train"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = frozenset({"forward", "backward", "grad", "step", "print", "save", "final"})
    words = frozenset({"eval", "train"})
    message = "the model is still in evaluation mode here from the second epoch on: train()"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if mode_of(call, facts) != "eval" or not isinstance(call.func, ast.Attribute):
            return
        if ".backward(" not in facts.text or ".step(" not in facts.text:
            # Nothing in this file trains.
            return
        receiver = call.func.value
        model = model_of(facts, receiver)
        if model is None or has_mode_layers(facts, facts.value(receiver)) is False:
            return
        evals = []
        for other, mode in mode_calls(facts):
            assert isinstance(other.func, ast.Attribute)
            if model_of(facts, other.func.value) != model:
                if not is_about_another(facts, other, model, receiver):
                    return
            elif mode == "eval":
                evals.append(other)
        if call is not evals[0]:
            return
        try:
            resets = [r for steps in roots(facts, model) for r in missing_resets(facts, steps)]
        except Unclear:
            yield self.advice(
                call, "training goes on in evaluation mode after this: call train() again"
            )
            return
        for place, written in {reset.place: reset.model for reset in resets}.items():
            yield self.found(place, line=f"{written}.train()")

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        # The region can be a statement of any kind.
        assert isinstance(updated_node, cst.BaseStatement)
        return with_line_before(updated_node, self.data["line"])
