"""Targets that a loss refuses: `.long()` for indices of classes, `.float()` for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.evaluation.extents import sizes_of
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries.losses import OF_CLASSES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.dtypes import is_floating
from torchfix_codemods.facts.values.lattice import Tensor, ndim_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.losses.questions.criteria import losses_called
from torchfix_codemods.rules.losses.questions.dimensions.lost_beside import is_picked_beside_best
from torchfix_codemods.text.wording import worded

_OF_PROBABILITIES = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})
#: Losses of numbers one by one, which broadcast what has other dimensions.
_OF_NUMBERS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss"})

#: The dtypes that losses take for indices of classes.
_INDICES = ("int64", "uint8")

_ONE_HOT = (
    "{loss} takes the index of a class for each sample: write {target}.argmax(1) if it is one-hot, "
    "{target}.squeeze(1) if it has one column"
)
_SAMPLE = (
    "{loss} takes a target of one dimension for rows of scores: an element of a tensor has none "
    "since torch 0.4"
)
_BROADCAST = (
    "{loss} of (N, 1) and (N) compares each with each, N times N; torch 0.3 compared them one by "
    "one: write {target}.view_as({given})"
)

#: Losses that compared each with each where the dimensions differ, and fail there today.
_OF_PAIRS = {
    "cosine_embedding_loss": (
        "a target of one dimension since torch 1.9; with (N, 1) it compared each pair with each "
        "target: write {target}.view(-1) to compare one by one"
    ),
    "margin_ranking_loss": (
        "a target of as many dimensions as its inputs since torch 1.11; of (N, 1) and (N) it "
        "compared each with each: write {target}.view_as({given}) to compare one by one"
    ),
}


class LossTargetType(Rule):
    """
    ## What it does
    Gives targets the type that the loss takes. `cross_entropy` and `nll_loss` take the index of a
    class: `.long()`, and `y` where `F.one_hot(y)` was given; an element of a row of targets gets
    the dimension that it had until torch 0.3: `.unsqueeze(0)`. `binary_cross_entropy`, with logits
    or without, takes probabilities: `.float()`. `binary_cross_entropy` takes them in the shape of
    its input: `criterion(output.view(-1), target)`.

    Says what to write for targets of `cosine_embedding_loss` and `margin_ranking_loss` of another
    shape, which raise today and were compared each with each before.

    ## Why
    A target of another type is an error that speaks of scalar types and not of targets: "expected
    scalar type Long but found Float". `BCELoss` of torch 1.0 took as many numbers in another shape,
    with a warning: an input of shape (N, 1) for targets of shape (N). The element of a Variable of
    one dimension had one dimension, too, and has none since 0.4: "Expected input batch_size (1) to
    match target batch_size (0)".

    ## Example
    ```python
    target = torch.IntTensor([0, 2])
    loss = F.nll_loss(log_probs, target)
    ```
    becomes
    ```python
    target = torch.IntTensor([0, 2])
    loss = F.nll_loss(log_probs, target.long())
    ```

    ## Numbers
    Restored: without the conversion there are none.

    ## When it stays its hand
    Where the type of the target is not certain, or the number of its dimensions. On floats for
    `cross_entropy` that may be one probability for each class, which it takes since torch 1.10. On
    `mse_loss` and its kin, which take integers today; of these, a target of one dimension for an
    input of two, or the other way round, is reported. A target of integers that has as many
    dimensions as the input is one-hot or a column, and a finding says what to write.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    - https://pytorch.org/docs/stable/generated/torch.nn.BCELoss.html
    """

    code = "TP305"
    name = "loss-target-type"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = (
        OF_CLASSES
        | _OF_PROBABILITIES
        | _OF_NUMBERS
        | {"CrossEntropyLoss", "NLLLoss", "BCELoss", "BCEWithLogitsLoss"}
        | {"MSELoss", "L1Loss", "SmoothL1Loss"}
        | _OF_PAIRS.keys()
        | {"CosineEmbeddingLoss", "MarginRankingLoss"}
    )
    message = "the loss takes targets of another type"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        for use, loss in losses_called(facts, call, built_alike=True):
            given = None if is_opaque(use) else argument(use, 0, "input")
            target = None if is_opaque(use) else argument(use, 1, "target")
            if loss in _OF_PAIRS and not is_opaque(use):
                yield from self._of_pairs(use, loss, facts)
                continue
            if given is None or target is None:
                continue
            if loss in OF_CLASSES:
                yield from self._of_indices(loss, given, target, facts)
                continue
            if loss in _OF_NUMBERS:
                if _is_column_beside_row(given, target, facts):
                    texts = {"target": _text(target, facts), "given": worded(given, "...")}
                    yield self.advice(use, _BROADCAST.format(loss=loss, **texts))
                continue
            if loss in _OF_PROBABILITIES and _is_integral(target, facts):
                message = f"{loss} takes probabilities, which are floats"
                yield self.found(target, message, method="float")
            if loss == "binary_cross_entropy":
                yield from self._of_other_shape(use, call, given, target, facts)

    def _of_pairs(self, use: ast.Call, loss: str, facts: Facts) -> Iterator[Found]:
        given, target = argument(use, 0, "input1"), argument(use, 2, "target")
        if given is None or target is None:
            return
        dims, of_target = ndim_of(facts.value(given)), ndim_of(facts.value(target))
        is_column = loss == "cosine_embedding_loss" and of_target == 2
        if is_column or (loss == "margin_ranking_loss" and {dims, of_target} == {1, 2}):
            texts = {"target": _text(target, facts), "given": worded(given, "...")}
            yield self.advice(use, f"{loss} takes {_OF_PAIRS[loss].format(**texts)}")

    def _of_indices(
        self, loss: str, given: ast.expr, target: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        value, scores = facts.value(target), facts.value(given)
        if not isinstance(value, Tensor):
            return
        dims = scores.ndim if isinstance(scores, Tensor) else None
        if facts.name(getattr(target, "func", target)) == "torch.nn.functional.one_hot":
            if isinstance(target, ast.Call) and dims in (None, 2) and target.args:
                message = f"{loss} takes indices of classes, not one-hot vectors"
                yield self.found(target, message, method=None)
            return
        # Scores of one dimension are of one sample, whose target has none.
        is_sample = dims == 2 or (dims is None and facts.era_of(target).before((0, 4)))
        if value.ndim == 0 and is_sample:
            yield self.found(target, _SAMPLE.format(loss=loss), method="unsqueeze", sizes="0")
        if value.ndim is None or value.dtype is None or dims is None:
            return
        if value.ndim == dims == 2 and (loss == "nll_loss" or not is_floating(value.dtype)):
            yield self.advice(target, _ONE_HOT.format(loss=loss, target=_text(target, facts)))
        elif value.ndim == dims - 1 and value.dtype not in _INDICES:
            message = f"{loss} takes indices of classes, which are of type long"
            yield self.found(target, message, method="long")

    def _of_other_shape(
        self, use: ast.Call, built: ast.Call, given: ast.expr, target: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        """An input or target of one dimension, where the other has more of them."""
        dims = ndim_of(facts.value(given)), ndim_of(facts.value(target))
        if None in dims or 0 in dims or dims[0] == dims[1] or not _is_averaged(use, built):
            return
        message = "binary_cross_entropy takes no targets of another shape than its input today"
        if 1 in dims:
            other = given if dims[1] == 1 else target
            value = facts.value(other)
            method = "view" if isinstance(value, Tensor) and value.contiguous else "reshape"
            yield self.found(other, message, method=method, sizes="-1")
        else:
            like = f"{_text(target, facts)}.view_as({worded(given, '...')})"
            yield self.advice(use, f"{message}: write {like}")

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Any:
        # The region can be an expression of any kind.
        assert isinstance(updated, cst.BaseExpression)
        method = self.data["method"]
        if method is not None:
            sizes = self.data.get("sizes")
            arguments = [] if sizes is None else [cst.Arg(cst.parse_expression(sizes))]
            return cst.Call(cst.Attribute(as_operand(updated), cst.Name(method)), arguments)
        assert isinstance(updated, cst.Call)
        return updated.args[0].value


def _is_column_beside_row(given: ast.expr, target: ast.expr, facts: Facts) -> bool:
    """Whether one of two has one dimension, and the other two, of which the last may be 1.

    Torch 0.3 took no others, which have more numbers.
    """
    dims = {ndim_of(facts.value(each)): each for each in (given, target)}
    if dims.keys() != {1, 2}:
        pairs = ((given, target), (target, given)) if None in dims else ()
        return any(is_picked_beside_best(facts, *pair) for pair in pairs)
    sizes = sizes_of(facts.inference, dims[2])
    return sizes is None or sizes[-1] in (None, 1)


def _is_integral(target: ast.expr, facts: Facts) -> bool:
    value = facts.value(target)
    return isinstance(value, Tensor) and value.dtype is not None and not is_floating(value.dtype)


def _is_averaged(use: ast.Call, built: ast.Call) -> bool:
    """Whether a loss has no weights, and gives one number, whatever the shape of what it takes.

    Args:
        use: the call of the loss.
        built: the call that builds it, or that same call of a function.
    """
    if is_opaque(built) or len(built.args) > (2 if built is use else 0):
        return False
    given = {keyword.arg: constant(keyword.value) for keyword in built.keywords}
    known = {"input", "target", "reduction", "size_average"}
    return set(given) <= known and given.get("reduction", "mean") in ("mean", "sum")


def _text(target: ast.expr, facts: Facts) -> str:
    text = facts.segment(target)
    is_operand = isinstance(target, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return text if is_operand else f"({text})"
