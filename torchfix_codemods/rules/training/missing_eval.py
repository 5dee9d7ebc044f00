"""Inference with dropout and BatchNorm still in training mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import count_own_comments, with_line_before
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import EVALUATION, Found, Rule
from torchfix_codemods.rules.training.questions.missing_modes import (
    is_seen_whole,
    places_without_eval,
    without_repeated,
)
from torchfix_codemods.rules.training.questions.modes import Inference
from torchfix_codemods.rules.training.questions.resets import Unclear, missing_resets
from torchfix_codemods.rules.training.questions.restored_modes import (
    KEPT,
    has_unseen_callers_only,
    span_of_inference,
)
from torchfix_codemods.rules.training.questions.run_models import run_models
from torchfix_codemods.rules.training.questions.steps import roots

_RESTORED = (
    "the model infers in training mode (dropout, BatchNorm), and who calls this is not in sight:"
    " eval() comes first, and the mode that it had afterwards"
)
_MODES = (
    "{0} infers in training mode (dropout, BatchNorm): {0}.eval() comes first, and {0}.train() "
    "before training again"
)
_KEEP_MODE = (
    "the model infers in training mode (dropout, BatchNorm), and who calls this is not in sight:"
    " write {0}.eval() first, below was_training = {0}.training, and {0}.train(was_training) on"
    " each way out"
)


class MissingEval(Rule):
    """
    ## What it does
    Adds `model.eval()` at the start of a function, a loop or a `with torch.no_grad()` block that
    runs a model for evaluation, when the model has Dropout or BatchNorm and nothing puts it into
    evaluation mode. A function of another file that only infers gets it where it is called. Where
    the model is trained again afterwards, `model.train()` is added there in the same step. In a
    function whose callers are out of sight the mode that the model had is restored:
    `was_training = model.training` above, `model.train(was_training)` below.

    ## Why
    In training mode dropout zeroes activations at random, and BatchNorm normalizes each batch by
    itself and learns from the test data: the results are noisy and too bad, and differ from run
    to run.

    ## Example
    ```python
    def test():
        with torch.no_grad():
            for data, target in test_loader:
                output = model(data)
    ```
    becomes
    ```python
    def test():
        model.eval()
        with torch.no_grad():
            for data, target in test_loader:
                output = model(data)
    ```

    ## Numbers
    Changed, as meant: dropout is off and BatchNorm uses what it learned.

    ## When it stays its hand
    Where the file, or a function of the project that it calls, sets the mode of the model or of
    something that may be a part of it, where the model goes to code that cannot be seen, where the
    code does not certainly only infer, where a function is called from other files or, with
    callers out of sight, has an early return, a ``raise`` or a ``yield``, inside of
    training loops (samples of a GAN, agents that act and learn), where a loop runs the model on
    one input again and again (dropout that samples), where a test asserts something about the
    result, where a BatchNorm keeps the statistics of one batch only (``momentum=1``), where
    ``forward()`` returns something of another form in evaluation, and where the model is not
    certainly one with such layers.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
    """

    code = "TP601"
    name = "missing-eval"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = EVALUATION
    words = frozenset({"torch"})
    message = "the model infers in training mode (dropout, BatchNorm): eval() comes first"

    def find_Module(self, tree: ast.Module, facts: Facts) -> Iterator[Found]:
        if ast.Assign in facts.names.nodes:
            yield from self._missing_modes(facts)

    def _missing_modes(self, facts: Facts) -> Iterator[Found]:
        for model, sample in run_models(facts).items():
            missing = places_without_eval(facts, model, sample)
            places = {p: f for p, f in missing.items() if is_seen_whole(facts, p, model)}
            for place, found in missing.items():
                if place not in places and has_unseen_callers_only(facts, place):
                    yield self._restored(place, found, facts)
            if not places:
                continue
            runs = frozenset(run for found in places.values() for run in found.runs)
            try:
                resets = [
                    reset
                    for steps in roots(facts, model)
                    for reset in missing_resets(facts, model, steps, runs)
                ]
            except Unclear:
                for place, found in places.items():
                    yield self.advice(place, _MODES.format(found.model))
                continue
            # An eval() without the train() that training then needs would be worse than none.
            group = f"modes of {next(iter(places.values())).model}"
            for place, found in without_repeated(facts, model, places).items():
                line = f"{found.model}.eval()"
                own = count_own_comments(place, facts, line)
                yield self.found(place, group=group, line=line, own_comments=own)
            for place, written in {reset.place: reset.model for reset in resets}.items():
                line = f"{written}.train()"
                yield self.found(
                    place,
                    "back to training mode after the eval() added",
                    group=group,
                    line=line,
                    own_comments=count_own_comments(place, facts, line),
                )

    def _restored(self, place: ast.stmt, found: Inference, facts: Facts) -> Found:
        """An inference that nobody in sight calls, which must leave the mode as it was."""
        span = span_of_inference(facts, place, found)
        if span is None:
            return self.advice(place, _KEEP_MODE.format(found.model))
        return self.found(place, _RESTORED, region=span, model=found.model)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        model = self.data["model"]
        before = [f"{KEPT} = {model}.training", f"{model}.eval()"]
        body = [*map(cst.parse_statement, before), *updated.body]
        return updated.with_changes(body=[*body, cst.parse_statement(f"{model}.train({KEPT})")])

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Any:
        if isinstance(updated, cst.IndentedBlock):
            return super().on_leave(original, updated)
        # The region can be a statement of any kind.
        assert isinstance(updated, cst.BaseStatement)
        return with_line_before(updated, self.data["line"])
