"""`cross_entropy(…, ignore_index=i)` of targets that are all ignored is nan since torch 1.11."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.losses.questions.filled_targets import (
    FILLING,
    MASKING,
    ignores_by_default,
    put_in,
)
from torchfix_codemods.rules.questions.named_lines import also_in

_FUNCTIONS = frozenset({"torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss"})
_MODULES = frozenset({"torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss", "torch.nn.NLLLoss2d"})

_NAN = (1, 11)

_NUMBER = "the number of targets that count, 1 at least"
_WEIGHTS = "the sum of the weights of the targets that count, unless there are none"


class IgnoredTargets(Rule):
    """
    ## What it does
    Finds the mean of a cross entropy that ignores some targets, in a file written for a torch
    before 1.11.

    ## Why
    Of a batch whose targets are all ignored such a loss was 0. Since torch 1.11 it is the mean of
    nothing: nan, and after `backward()` and a step so are all parameters, if anything else is
    added to the loss. Maps without a label and batches without a positive sample are such
    batches.

    ## Example
    ```python
    target[difficult] = 255
    loss = F.cross_entropy(output, target, ignore_index=255)
    ```
    is reported: where all targets of a batch may be ignored, write
    ```python
    counted = (target != 255).sum().clamp(min=1)
    loss = F.cross_entropy(output, target, ignore_index=255, reduction="sum") / counted
    ```

    ## Numbers
    Nothing is rewritten: whether a batch is ignored as a whole hangs on the data.

    ## When it stays its hand
    Where nothing shows that the file was written for a torch before 1.11; where the losses are
    summed (`reduction="sum"`) or kept apart (`reduction="none"`); where the file itself fills no
    tensor with the number that is ignored (`target[mask] = 255`), as no batch is padding alone, or
    fills only one element of it at a time, which a loop does for its own reasons.
    Without `ignore_index=`, where no -100 that the file writes is seen to come to the targets: in
    scores or in weights of attention it is none that is ignored.

    ## References
    - https://github.com/pytorch/pytorch/pull/64572
    - https://github.com/pytorch/pytorch/issues/75181
    - https://pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    """

    code = "TP310"
    name = "ignored-targets"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"ignore_index", "cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"})
    message = (
        "since torch 1.11 this is nan for a batch whose targets are all ignored, and was 0{}: "
        'divide reduction="sum" by {}'
    )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        divisor = _divisor(call, facts)
        if divisor is None:
            return
        around = facts.names.enclosing_function
        calls = facts.names.inside(around(call) or facts.tree, ast.Call)
        same = (c for c in calls if around(c) is around(call))
        alike = reached((c for c in same if _divisor(c, facts) == divisor), facts)
        if min(alike, key=start_of, default=None) is call:
            lines = sorted({facts.origin(c.lineno) for c in alike} - {facts.origin(call.lineno)})
            yield self.advice(call, self.message.format(also_in(lines, facts), divisor))


def _divisor(call: ast.Call, facts: Facts) -> str | None:
    """What the sum of a loss is to be divided by, where all of its targets may be ignored."""
    name = facts.name(call.func) or ""
    is_loss = name in _FUNCTIONS or name in _MODULES
    if not is_loss or not _is_mean(call, name) or not _ignores(call, facts):
        return None
    if not facts.numbers_before(call, _NAN):
        return None
    weight = argument(call, 2 if name in _FUNCTIONS else 0, "weight")
    return _NUMBER if weight is None or constant(weight) is None else _WEIGHTS


def _ignores(call: ast.Call, facts: Facts) -> bool:
    """Whether a file puts what a loss ignores into tensors itself, so that all may be ignored."""
    ignored = argument(call, None, "ignore_index")
    if ignored is None:
        return ignores_by_default(facts, call)
    text = ast.unparse(ignored)
    # Of padding there is always less than all: only what is masked out can be everything.
    is_padding = constant(ignored) == 0 or isinstance(ignored, (ast.Name, ast.Attribute))
    puts = MASKING if is_padding else FILLING
    return any(
        node is not ignored and ast.unparse(node) == text and put_in(node, puts, facts) is not None
        for node in facts.names.nodes.get(type(ignored), ())
    )


def _is_mean(call: ast.Call, name: str) -> bool:
    """Whether a loss is averaged over the targets that it does not ignore."""
    if is_opaque(call):
        return False
    flag = 3 if name in _FUNCTIONS else 1
    averages = argument(call, flag, "size_average"), argument(call, flag + 2, "reduce")
    reduction = argument(call, flag + 3, "reduction")
    return all(flag is None or constant(flag) in (True, None) for flag in averages) and (
        reduction is None or constant(reduction) in ("mean", "elementwise_mean")
    )
