"""Inference with dropout and BatchNorm still in training mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import count_own_comments
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import EVALUATION, Found, Rule
from torchfix_codemods.rules.training.questions.infer_together import (
    Company,
    inferring_together,
)
from torchfix_codemods.rules.training.questions.missing_modes import without_repeated
from torchfix_codemods.rules.training.questions.modes import Inference
from torchfix_codemods.rules.training.questions.restored_modes import KEPT, span_of_inference
from torchfix_codemods.rules.training.questions.told_modes import must_be_told, told
from torchfix_codemods.text.wording import listed

_RESTORED = (
    "the model infers in training mode (dropout, BatchNorm), and who calls this is not in sight:"
    " eval() comes first, and the mode that it had afterwards"
)
_BACK = "back to training mode after the eval() added"
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
    one input again and again (dropout that samples), where ``forward()`` applies one BatchNorm
    several times, where of several models that infer side by side one cannot get it, where a test
    asserts something about the result, where a BatchNorm keeps the statistics of one batch only
    (``momentum=1``), where ``forward()`` returns something of another form in evaluation, and where
    the model is not certainly one with such layers.

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
        for company in inferring_together(facts):
            if must_be_told(company):
                for place, message in told(company, facts).items():
                    yield self.advice(place, message)
                continue
            for one in company.members:
                for place, found in one.restored.items():
                    yield self._restored(place, found, facts)
            yield from self._written(company, facts)

    def _written(self, company: Company, facts: Facts) -> Iterator[Found]:
        """The lines for models that infer side by side."""
        evaluated: dict[ast.stmt, list[str]] = {}
        trained: dict[ast.stmt, list[str]] = {}
        for one in company.members:
            for place, found in without_repeated(facts, one.model, one.places).items():
                evaluated.setdefault(place, []).append(f"{found.model}.eval()")
            for place, written in {r.place: r.model for r in one.resets or ()}.items():
                trained.setdefault(place, []).append(f"{written}.train()")
        # An eval() without the train() that training then needs would be worse than none.
        group = f"modes of {listed(one.written for one in company.members)}"
        for message, lines_at in ((None, evaluated), (_BACK, trained)):
            for place, lines in lines_at.items():
                own = count_own_comments(place, facts, lines[0])
                yield self.found(place, message, group=group, lines=lines, own_comments=own)

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
        above = map(cst.parse_statement, self.data["lines"])
        return cst.FlattenSentinel([*above, updated])
