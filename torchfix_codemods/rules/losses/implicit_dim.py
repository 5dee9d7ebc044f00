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
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS
from torchfix_codemods.rules.losses.questions.dimensions.commented import told_by_comment
from torchfix_codemods.rules.losses.questions.dimensions.compared import told_by_comparison
from torchfix_codemods.rules.losses.questions.dimensions.elsewhere import is_applied_elsewhere
from torchfix_codemods.rules.losses.questions.dimensions.features import features_before
from torchfix_codemods.rules.losses.questions.dimensions.indexed import told_by_index
from torchfix_codemods.rules.losses.questions.dimensions.meant import input_of, shown_meant
from torchfix_codemods.rules.losses.questions.dimensions.moved import moved_before
from torchfix_codemods.rules.losses.questions.dimensions.named_sizes import told_by_sizes
from torchfix_codemods.rules.losses.questions.dimensions.same_model import (
    told_by_another_output,
    told_by_namesake,
)
from torchfix_codemods.rules.losses.questions.dimensions.undecided import told_by_place
from torchfix_codemods.rules.losses.questions.given_dimensions import ndims_given, ndims_of
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY
from torchfix_codemods.rules.losses.questions.shown_inputs import (
    is_never_applied,
    shown_ndims,
    unnamed,
)
from torchfix_codemods.text.wording import listed

#: What they take; with anything else they raise.
_KEYWORDS = frozenset({"input", "dim", "dtype", "_stacklevel"})
#: Of so many dimensions torch takes the last one.
_LAST = frozenset({0, 1, 2})
_LAYERS = frozenset(f"torch.nn.{name}" for name in ("Softmax", "LogSoftmax", "Softmin"))


class ImplicitDim(Rule):
    """
    ## What it does
    Adds to `softmax`, `log_softmax` and `softmin` without `dim`, as functions and as layers, the
    `dim` that torch takes by itself: 0 for inputs of 0, 1 or 3 dimensions, else 1. Of an input that
    can have one dimension or two, as behind `squeeze()`, that is the last: `dim=-1`.

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
    which torch chooses differently: a finding says so, for -1 would be a guess. The number is read
    from what the input is made of (also by layers that a constructor is given or a class below
    sets, of what a loop puts into a list, and of arrays of numpy), from all calls of the function
    in the project, from what else is done with the input, and from what takes the result (in a
    file for torch 0.3, `nll_loss` takes 2 or 4, and a target of 1 or 3; sums of rows in a column,
    `p.sum(1).view(-1, 1)`, go with rows; the two distributions of a divergence have as many). Where
    only one line shows which `dim` is meant, the finding names both; where nothing does, the input
    that decides. A layer is completed only where all of its calls are in sight; one that is
    returned, passed on or kept in a list can be applied to anything, but for an `nn.ModuleList` of
    which nothing calls a layer. Code that tries `dim=` first and falls back stays.

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
        is_seen = ndims is not None
        ndims = shown_ndims(facts, call, tensor) if ndims is None else ndims
        if name in _LAYERS and is_applied_elsewhere(facts, call):
            is_seen, ndims = False, ANY
        dims = {_chosen(ndim) for ndim in ndims}
        dims = {-1} if len(dims) > 1 and ndims <= _LAST else dims
        if len(dims) != 1:
            if name in _LAYERS and is_never_applied(facts, call):
                # Nobody is warned, and nobody chooses.
                return
            unread = unnamed(facts, call) if name in _LAYERS else None
            if unread is not None:
                told = f"no line reads {unread}: it can go, unless children() is to give it"
                yield self.advice(call, f"without dim, which is deprecated, and {told}")
                return
            meant = _meant(facts, call, tensor)
            meant = meant or told_by_sizes(facts, call, tensor, ndims)
            counted = {n: str(n) for n in ndims} if is_seen else _counted(ndims)
            told = f"{_taken(counted)}: {meant}"
            if meant is None:
                told = told_by_place(facts, input_of(facts, call, tensor), ndims)
            yield self.advice(call, f"without dim, which is deprecated, {told}")
            return
        message = None
        if ndims == frozenset({3}):
            message = "of three dimensions torch takes dim=0: was dim=-1 meant?"
        yield self.found(call, message, dim=dims.pop(), position=position)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        position = self.data["position"]
        args = list(updated.args)
        dim = keyword_argument("dim", cst.parse_expression(str(self.data["dim"])))
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


def _chosen(ndim: int) -> int:
    """The dim that torch itself chooses."""
    return 0 if ndim in (0, 1, 3) else 1


def _meant(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> str | None:
    """What to write where the number of dimensions is not certain."""
    shown = shown_meant(facts, call, tensor)
    shown = shown or told_by_comparison(facts, call)
    if shown is not None:
        return shown
    moved = moved_before(facts, call, tensor)
    if moved is not None:
        by, place, name = moved
        return f"write dim={place}, to which line {facts.origin(by.lineno)} moves {name}"
    alike = told_by_another_output(facts, input_of(facts, call, tensor))
    if alike is not None:
        return alike
    features = features_before(facts, call, tensor)
    if features is None:
        told = told_by_index(facts, input_of(facts, call, tensor))
        return told or told_by_comment(facts, call, tensor) or told_by_namesake(facts, tensor)
    dim, layer = features
    return f"write dim={dim} for the features of {layer}, if these are meant"


def _counted(ndims: frozenset[int]) -> dict[int, str]:
    """How the numbers of dimensions are called of which the last stands for all above, too."""
    # Nobody takes the softmax of one number.
    told = sorted(ndims - {0}) if len({_chosen(n) for n in ndims - {0}}) > 1 else sorted(ndims)
    return {n: "more" if n == MANY else str(n) for n in told}


def _taken(counted: dict[int, str]) -> str:
    """What torch takes of inputs that can have some numbers of dimensions."""
    taken = {dim: [n for n in sorted(counted) if _chosen(n) == dim] for dim in (0, 1)}
    first, second = (listed((counted[n] for n in taken[dim]), "or") for dim in (0, 1))
    count = f"{first} dimension{'' if taken[0] == [1] else 's'}"
    return f"torch takes dim=0 of the inputs with {count}, dim=1 of those with {second}"
