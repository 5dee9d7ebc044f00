"""Losses that get something else than they take: softmax twice, scores for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell_beside
from torchfix_codemods.facts.evaluation.applications import applications
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.activations import Activation, activation_of, applied_by
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.losses.questions.criteria import losses_called
from torchfix_codemods.rules.losses.questions.loss_weights import is_computed_from
from torchfix_codemods.text.wording import LONGEST, worded

_CLASS_OF = {function: name.rpartition(".")[2] for name, function in FUNCTION_OF.items()}
_LOSSES = frozenset(loss for loss in _CLASS_OF if loss != "kl_div")

#: What a loss takes, and what to do about an activation that gives something else: where it was
#: applied, the loss itself, the loss to write instead.
_MISMATCHES = {
    ("cross_entropy", "softmax"): (
        "{loss} takes the softmax itself, after {where} a second time: give it the scores",
        "",
    ),
    ("cross_entropy", "log_softmax"): (
        "{loss} takes log_softmax itself, after {where} a second time: write {instead}",
        "nll_loss",
    ),
    ("binary_cross_entropy_with_logits", "sigmoid"): (
        "{loss} takes the sigmoid itself, after {where} a second time: write {instead}",
        "binary_cross_entropy",
    ),
    ("nll_loss", "softmax"): (
        "{loss} takes log-probabilities, and {where} gives probabilities: write log_softmax there",
        "",
    ),
    ("nll_loss", "linear"): (
        "{loss} takes log-probabilities, and {where} gives scores: write {instead}",
        "cross_entropy",
    ),
    ("binary_cross_entropy", "linear"): (
        "{loss} takes probabilities, and {where} gives scores: write {instead}",
        "binary_cross_entropy_with_logits",
    ),
}


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
    needed for predictions. Where it is not certain which activation the input comes out of, where
    a softmax is taken along another dimension than the loss does, with `*args` and `**kwargs`, and
    where a loss object may be called from elsewhere.

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
    words = _LOSSES | {_CLASS_OF[loss] for loss in _LOSSES}
    message = "the loss takes something else than it gets"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if _is_of_scores(call, facts):
            message = "BCELoss takes probabilities, and its inputs are scores"
            yield from self._other_loss(call, "torch.nn.BCEWithLogitsLoss", message, facts)
            return
        for use, loss in losses_called(facts, call):
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
        elif pair not in _MISMATCHES:
            return
        elif given is activation.call and _is_plain(activation):
            yield from self._nested(given, pair, facts)
        elif pair == ("binary_cross_entropy", "linear") and _is_function(call, facts):
            new = "torch.nn.functional.binary_cross_entropy_with_logits"
            yield from self._other_loss(call, new, _said(pair, call, activation, facts), facts)
        else:
            yield self.advice(call, _said(pair, call, activation, facts))

    def _weighted(self, call: ast.Call, loss: str, facts: Facts) -> Iterator[Found]:
        """A weight that has a graph, along which these losses give no gradient."""
        if not loss.startswith("binary_cross_entropy") or not _is_function(call, facts):
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
        path = spell_beside(facts, f"{_module(given, facts)}.log_softmax", given.func)
        if path is not None:
            yield self.found(given, message, edit="log", path=path.text, needs=path.needs)

    def _joined(self, call: ast.Call, activation: Activation, facts: Facts) -> Iterator[Found]:
        """``nll_loss(log_softmax(x, 1), t)``, which is what ``cross_entropy(x, t)`` computes."""
        if not _is_function(call, facts) or activation.call not in call.args[:1]:
            return
        if _is_plain(activation):
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


def _is_function(call: ast.Call, facts: Facts) -> bool:
    """Whether a loss is called as a function, not as an object."""
    return facts.name(call.func) is not None


def _is_of_scores(construction: ast.Call, facts: Facts) -> bool:
    """Whether all that a ``BCELoss`` is called with certainly comes out of linear layers."""
    if facts.name(construction.func) != "torch.nn.BCELoss" or is_opaque(construction):
        return False
    calls = applications(facts.inference, construction)
    return bool(calls) and all(_is_linear(call, facts) for call in calls or ())


def _is_linear(call: ast.Call, facts: Facts) -> bool:
    given = None if is_opaque(call) else argument(call, 0, "input")
    activation = None if given is None else activation_of(facts, given)
    return activation is not None and activation.kind == "linear"


def _is_plain(activation: Activation) -> bool:
    """Whether an activation is a function or method along the dimension of the classes."""
    call, facts = activation.call, activation.facts
    if applied_by(facts, call) is None or is_opaque(call) or _is_layer(call, facts):
        return False
    is_method = facts.name(call.func) is None
    others = call.args if is_method else call.args[1:]
    if activation.kind == "sigmoid":
        return not others and not call.keywords
    if len(others) + len(call.keywords) != 1:
        return False
    dim = others[0] if others else argument(call, None, "dim")
    if constant(dim) == 1:
        return True
    value = facts.value(call)
    last = isinstance(dim, ast.UnaryOp) and ast.unparse(dim) == "-1"
    return last and isinstance(value, Tensor) and value.ndim == 2


def _is_layer(call: ast.Call, facts: Facts) -> bool:
    return facts.name(call.func) is None and isinstance(facts.value(call.func), Module)


def _module(call: ast.Call, facts: Facts) -> str:
    return (facts.name(call.func) or "").rpartition(".")[0]


def _said(pair: tuple[str, str], call: ast.Call, activation: Activation, facts: Facts) -> str:
    """What is wrong between a loss and an activation, and what to write."""
    text, instead = _MISMATCHES[pair]
    is_function = _is_function(call, facts)
    written = activation.facts.segment(activation.call)
    where = written if len(written) <= LONGEST and "\n" not in written else "the model"
    files = activation.facts.files
    if activation.facts is not facts and files is not None:
        where += f" in {files.path.name}"
    return text.format(
        loss=_written(pair[0], is_function), where=where, instead=_written(instead, is_function)
    )


def _written(loss: str, is_function: bool) -> str:
    return loss if is_function else _CLASS_OF.get(loss, "")


def _operand(activation: cst.Call, is_method: bool) -> cst.BaseExpression:
    """What an activation is applied to."""
    if not is_method:
        return activation.args[0].value
    assert isinstance(activation.func, cst.Attribute)
    return activation.func.value
