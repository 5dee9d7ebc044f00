"""Losses that get something else than they take: softmax twice, scores for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell_beside
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.libraries.torch_names import module_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.losses.questions.activations import is_of_scores, is_plain
from torchfix_codemods.rules.losses.questions.choices import is_beside_named
from torchfix_codemods.rules.losses.questions.criteria import losses_called
from torchfix_codemods.rules.losses.questions.last_activations import Activation, activation_of
from torchfix_codemods.rules.losses.questions.loss_weights import is_computed_from
from torchfix_codemods.rules.losses.questions.mismatches import (
    CLASS_OF,
    LOSSES,
    about_criterion,
    about_mismatch,
    calls_function,
    is_nested,
    mismatch_of,
)
from torchfix_codemods.text.wording import worded


class LossInputMismatch(Rule):
    """
    ## What it does
    Gives losses what they take, where loss and activation are seen together. A softmax or sigmoid
    goes where the loss applies it itself: `F.cross_entropy(F.softmax(x, 1), t)` becomes
    `F.cross_entropy(x, t)`. `F.nll_loss(F.softmax(x, 1), t)` gets its logarithm. Of
    `F.nll_loss(F.log_softmax(x, 1), t)` it makes `F.cross_entropy(x, t)`, which is the same.
    `BCELoss` of what comes out of a linear layer becomes `BCEWithLogitsLoss`. A weight of
    `F.binary_cross_entropy_with_logits` that is computed from its input is reported.

    ## Why
    None of these fails, or fails only for some numbers. With softmax twice the loss cannot come
    near 0 and learning is slow; `nll_loss` of probabilities is no likelihood; `BCELoss` of scores
    was NaN, and raises today for a score below 0 or above 1. A weight that
    requires a gradient raises since torch 1.0, and is what many focal losses of 2017 give.

    ## Example
    ```python
    loss = F.cross_entropy(F.softmax(logits, dim=1), target)
    ```
    becomes
    ```python
    loss = F.cross_entropy(logits, target)
    ```

    ## Numbers
    Changed, to the loss that was meant; where it was `log_softmax` twice, by rounding only.
    Identical for `nll_loss` of `log_softmax`, which is what `cross_entropy` computes.

    ## When it stays its hand
    Where the activation is in the model: a finding names it, for the probabilities may be
    needed for predictions; of a loss object whose calls all get the same it stands where that is
    built. Where it is not certain which activation the input comes out of, where
    a softmax is taken along another dimension than the loss does, with `*args` and `**kwargs`,
    where a loss object may be called from elsewhere, and where a test chooses between that and the
    same loss of what the activation is applied to: then both are meant.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    - https://pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html
    - https://pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
    """

    code = "TP304"
    name = "loss-input-mismatch"
    since = "0.4"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = LOSSES | {CLASS_OF[loss] for loss in LOSSES}
    message = "the loss takes something else than it gets"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if is_of_scores(call, facts):
            message = "BCELoss takes probabilities, and its inputs are scores"
            yield from self._other_loss(call, "torch.nn.BCEWithLogitsLoss", message, facts)
            return
        uses = [*losses_called(facts, call)]
        said = about_criterion(call, uses, facts)
        if said:
            yield self.advice(call, said)
        for use, loss in uses:
            if not said:
                yield from self._applied(use, loss, facts)
            yield from self._weighted(use, loss, facts)

    def _applied(self, call: ast.Call, loss: str, facts: Facts) -> Iterator[Found]:
        """The mismatch of one call of a loss."""
        given = None if is_opaque(call) else argument(call, 0, "input")
        activation = None if given is None else activation_of(facts, given)
        if given is None or activation is None:
            return
        pair = loss, activation.kind
        if pair == ("nll_loss", "log_softmax"):
            yield from self._joined(call, activation, facts)
        elif mismatch_of(facts, call, loss) is None:
            return
        elif is_nested(call, activation) and not is_beside_named(call, activation, facts):
            yield from self._nested(activation.call, pair, facts)
        elif pair == ("binary_cross_entropy", "linear") and calls_function(call, facts):
            new = "torch.nn.functional.binary_cross_entropy_with_logits"
            yield from self._other_loss(
                call, new, about_mismatch(pair, call, activation, facts), facts
            )
        else:
            yield self.advice(call, about_mismatch(pair, call, activation, facts))

    def _weighted(self, call: ast.Call, loss: str, facts: Facts) -> Iterator[Found]:
        """A weight that has a graph, along which these losses give no gradient."""
        if not loss.startswith("binary_cross_entropy") or not calls_function(call, facts):
            return
        given = None if is_opaque(call) else argument(call, 0, "input")
        weight = argument(call, 2, "weight")
        if given is None or weight is None or not is_computed_from(facts, weight, given):
            return
        text = worded(weight, "the weight")
        yield self.advice(
            call,
            f"{loss} raises where its weight requires a gradient, as {text} does: detach it, or "
            'multiply what reduction="none" gives by it',
        )

    def _nested(self, given: ast.Call, pair: tuple[str, str], facts: Facts) -> Iterator[Found]:
        """An activation that stands in the call of the loss."""
        loss, kind = pair
        if loss != "nll_loss":
            yield self.found(
                given,
                f"{loss} takes the {kind} itself",
                edit="operand",
                is_method=facts.name(given.func) is None,
            )
            return
        message = "nll_loss takes log-probabilities"
        if facts.name(given.func) is None:
            yield self.found(given, message, edit="log", path=None)
            return
        path = spell_beside(
            facts, f"{module_part(facts.name(given.func) or '')}.log_softmax", given.func
        )
        if path is not None:
            yield self.found(given, message, edit="log", path=path.text, needs=path.needs)

    def _joined(self, call: ast.Call, activation: Activation, facts: Facts) -> Iterator[Found]:
        """``nll_loss(log_softmax(x, 1), t)``, which is what ``cross_entropy(x, t)`` computes."""
        if not calls_function(call, facts) or activation.call not in call.args[:1]:
            return
        if is_plain(activation):
            path = spell_beside(facts, "torch.nn.functional.cross_entropy", call.func)
            if path is not None:
                yield self.found(
                    call,
                    "nll_loss of log_softmax is cross_entropy",
                    numerics=Numerics.IDENTICAL,
                    needs=path.needs,
                    edit="join",
                    path=path.text,
                    is_method=facts.name(activation.call.func) is None,
                )

    def _other_loss(self, call: ast.Call, new: str, message: str, facts: Facts) -> Iterator[Found]:
        path = spell_beside(facts, new, call.func)
        if path is not None:
            yield self.found(call, message, needs=path.needs, edit="loss", path=path.text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        edit, path = self.data["edit"], self.data.get("path")
        if edit == "operand":
            return _operand(updated, self.data["is_method"])
        if path is None:
            assert isinstance(updated.func, cst.Attribute)
            return updated.with_changes(
                func=updated.func.with_changes(attr=cst.Name("log_softmax"))
            )
        if edit == "join":
            inner = updated.args[0].value
            if not isinstance(inner, cst.Call):
                return updated
            first = updated.args[0].with_changes(value=_operand(inner, self.data["is_method"]))
            updated = updated.with_changes(args=[first, *updated.args[1:]])
        return updated.with_changes(func=cst.parse_expression(path))


def _operand(activation: cst.Call, is_method: bool) -> cst.BaseExpression:
    """What an activation is applied to."""
    if not is_method:
        return activation.args[0].value
    assert isinstance(activation.func, cst.Attribute)
    return activation.func.value
