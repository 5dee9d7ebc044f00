"""`softmax` and its kin without `dim` choose one by the number of dimensions: say which."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import (
    index_of_keyword,
    keyword_argument,
    with_argument_added,
    with_arguments,
)
from torchfix_codemods.facts.guards import is_signature_tried
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.losses.questions.asked_dimensions import shown_by_uses
from torchfix_codemods.rules.losses.questions.dimensions.meant import (
    FUNCTIONS,
    others,
    shown_meant,
)
from torchfix_codemods.rules.losses.questions.given_dimensions import ndims_given, ndims_of
from torchfix_codemods.rules.losses.questions.shown_dimensions import shown_dimensions
from torchfix_codemods.rules.losses.questions.shown_inputs import (
    is_never_applied,
    shown_below,
    shown_given,
)
from torchfix_codemods.text.wording import listed

#: What they take; with anything else they raise.
_KEYWORDS = frozenset({"input", "dim", "dtype", "_stacklevel"})
_LAYERS = frozenset(f"torch.nn.{name}" for name in ("Softmax", "LogSoftmax", "Softmin"))


class ImplicitDim(Rule):
    """
    ## What it does
    Adds to `softmax`, `log_softmax` and `softmin` without `dim`, as functions and as layers, the
    `dim` that torch takes by itself: 0 for inputs of 0, 1 or 3 dimensions, else 1.

    ## Why
    Each call without `dim` warns, and the choice is a trap: of a batch of sequences, the same
    layer that summed to 1 over the classes sums to 1 over the batch.

    ## Example
    ```python
    x = x.view(-1, 320)
    return F.log_softmax(self.fc(x))
    ```
    becomes
    ```python
    x = x.view(-1, 320)
    return F.log_softmax(self.fc(x), dim=1)
    ```

    ## Numbers
    Identical: it is what torch chooses. For three dimensions that is 0, which is seldom what was
    meant; the message says so.

    ## When it stays its hand
    Where the number of dimensions is not certain, and where one layer is applied to inputs for
    which torch chooses differently: a finding says what torch takes of how many, for -1 would be a
    guess. The number is read from what the input is made of (also by layers that a constructor is
    given or a class below sets, and of what a loop puts into a list), from all calls of the
    function in the project, and from what takes the result (in a file for torch 0.3, `nll_loss`
    takes 2 or 4). A layer is completed only where all of its calls are in sight; one that is
    returned, passed on or kept in a list can be applied to anything. Code that tries `dim=` first
    and falls back stays.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.3.0
    """

    code = "TP302"
    name = "implicit-dim"
    since = "0.3"
    numerics = Numerics.IDENTICAL
    warns = True
    words = frozenset(name.rpartition(".")[2] for name in FUNCTIONS | _LAYERS)
    message = "without dim, torch chooses by the number of dimensions: say which"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func)
        if name not in FUNCTIONS | _LAYERS or is_opaque(call):
            return
        if any(keyword.arg not in _KEYWORDS for keyword in call.keywords):
            return
        position = 1 if name in FUNCTIONS else 0
        given = argument(call, position, "dim")
        if given is not None and constant(given) is not None:
            return
        if is_signature_tried(facts, call):
            return
        tensor = argument(call, 0, "input") if name in FUNCTIONS else None
        if tensor is not None and "numpy" in unwrapped(tensor)[1]:
            # An array never had a softmax, whatever its dim.
            return
        if tensor is not None:
            ndims = ndims_of(facts.inference, tensor)
        elif name in _LAYERS:
            ndims = ndims_given(facts.inference, call)
        else:
            return
        if ndims is None:
            ndims = _shown(facts, call, tensor)
        dims = {_chosen(ndim) for ndim in ndims}
        if len(dims) != 1:
            if name in _LAYERS and is_never_applied(facts, call):
                # Nobody is warned, and nobody chooses.
                return
            yield self.advice(call, f"{_advice(sorted(ndims))}: {_meant(facts, call, tensor)}")
            return
        message = None
        if ndims == frozenset({3}):
            message = "of three dimensions torch takes dim=0: was dim=-1 meant?"
        yield self.found(call, message, dim=dims.pop(), position=position)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        position = self.data["position"]
        args = list(updated.args)
        dim = keyword_argument("dim", cst.Integer(str(self.data["dim"])))
        index = index_of_keyword(updated, "dim")
        positional = sum(arg.keyword is None for arg in args)
        if index is None and positional > position:
            index = position
        if index is not None:
            # Behind a positional argument there is no room for a keyword in the middle.
            new = dim if index >= positional - 1 else cst.Arg(dim.value)
            args[index] = new.with_changes(
                comma=args[index].comma, whitespace_after_arg=args[index].whitespace_after_arg
            )
            return updated.with_changes(args=args)
        if position >= len(args):
            return with_argument_added(updated, dim)
        dim = dim.with_changes(comma=args[position - 1].comma)
        return with_arguments(updated, [*args[:position], dim, *args[position:]])


def _shown(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> frozenset[int]:
    """The numbers of dimensions that the input can have, by all that is done with it."""
    if tensor is None:
        return shown_given(facts, call)
    ndims = shown_dimensions(facts, tensor)
    ndims = ndims & shown_below(facts, tensor) or ndims
    block = facts.block(facts.statement(call))
    beside = [other for other in others(facts, tensor) if facts.statement(other) in block]
    softmaxes = [other for other in beside if facts.name(other.func) in FUNCTIONS]
    for softmax in (call, *softmaxes):
        ndims = ndims & shown_by_uses(facts, softmax) or ndims
    return ndims


def _chosen(ndim: int) -> int:
    """The dim that torch itself chooses."""
    return 0 if ndim in (0, 1, 3) else 1


def _meant(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> str:
    """What to write where the number of dimensions is not certain."""
    shown = shown_meant(facts, call, tensor)
    return "write dim=… with the one that is meant" if shown is None else shown


def _advice(ndims: list[int]) -> str:
    """What torch takes of inputs with as many dimensions as these can have."""
    # Nobody means a softmax of a single number.
    first = [ndim for ndim in ndims if ndim and _chosen(ndim) == 0] or [0]
    count = listed(first, "or") + (" dimension" if first == [1] else " dimensions")
    return f"without dim, torch takes dim=0 of inputs with {count}, else dim=1"
