"""A scheduler that steps before the optimizer skips its first rate since torch 1.1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.rules.training.questions.schedulers.built_again import (
    also_of_builder,
    first_rates_again,
    is_told_where_built,
)
from torchfix_codemods.rules.training.questions.schedulers.called_steps import is_stepped_by_callers
from torchfix_codemods.rules.training.questions.schedulers.entries_asked import (
    also_of_entries,
    entries_asked,
)
from torchfix_codemods.rules.training.questions.schedulers.first_steps import (
    comes_later,
    has_set_epoch,
    is_idle,
    is_old,
    steps_another,
    steps_below,
    steps_beside,
)
from torchfix_codemods.rules.training.questions.schedulers.given_epochs import instead_of_epoch
from torchfix_codemods.rules.training.questions.schedulers.left_first import (
    is_left,
    told_with,
    too_early,
    written_below,
)
from torchfix_codemods.rules.training.questions.schedulers.shared_rates import told_where_shared
from torchfix_codemods.rules.training.questions.schedulers.step_places import (
    Place,
    is_below_training,
    place_of,
    where_it_belongs,
)
from torchfix_codemods.rules.training.questions.schedulers.swapped import (
    instead_of_order,
    stands_above_step,
)
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    FROM_RATE_OF_OPTIMIZER,
    rates_asked,
    resumes,
)

_LATER = (
    "since torch 1.1 each rate comes one step() earlier: until 1.0 the first step() set the first "
    "rate again"
)
_LEAVE_OUT_FIRST = "; leave out the first step() for the old schedule"
_ONCE_MORE = (
    "until torch 1.0 this step() set the first rate once more, since 1.1 it sets the second one: "
    "leave it out"
)

_GET_LR = "get_lr() is for schedulers themselves: get_last_lr()"
_ONE_MORE = "behind the last epoch step() asks for one entry more, which is the last one again"

_BUILT_AGAIN = (
    "until torch 1.3 the rates of a new scheduler began with the first one of the optimizer, since "
    "1.4 they begin with the one that it has by now: write `{0}` above this line"
)


class SchedulerOrder(Rule):
    """
    ## What it does
    Moves `scheduler.step()` from the top of the epoch to its end, below the steps of the optimizer,
    in files that were written for torch 1.0 or older. `scheduler.get_lr()` of such an epoch becomes
    `get_last_lr()`, and the entry that the function of a `LambdaLR` takes out of a list or an array
    by the epoch, `rates[epoch]`, becomes `rates[min(epoch, len(rates) - 1)]`. In such a file a
    finding tells of a `step()` that already stands at the end.

    ## Why
    Until torch 1.0 the first `step()` set the rate of epoch 0; since 1.1 the constructor does that,
    and a `step()` at the top makes epoch 0 train with the rate of epoch 1: all rates come one epoch
    too early, and the first one is never used. At the end of the epoch the first `step()` of torch
    1.0 gave epoch 1 the first rate, too: all later rates come one epoch earlier today. `get_lr()`
    is now meant for the scheduler itself and gives a wrong rate in epochs that change it. And n
    steps asked a `LambdaLR` for the rates of the epochs 0 to n - 1, since 1.1 for those of 1 to n:
    a table with an entry for each epoch has none for the last step, whose rate nothing uses.

    Until torch 1.3 the rates of a new scheduler (`StepLR`, `MultiStepLR`, `ExponentialLR`,
    `CosineAnnealingLR`) were calculated from the first rate of the optimizer; since 1.4 they begin
    with the one that it has. In files that were written for torch 1.3 or older a finding tells of
    one that is built on an optimizer whose rate an earlier scheduler has changed: a second stage,
    or a restart in each round of a loop. Another one tells of two that step in turns and are built
    on one optimizer: the last step() decided its rate, and today their factors multiply.

    ## Example
    ```python
    for epoch in range(10):
        scheduler.step()
        for x, y in loader:
            ...
            optimizer.step()
    ```
    becomes
    ```python
    for epoch in range(10):
        for x, y in loader:
            ...
            optimizer.step()
        scheduler.step()
    ```

    ## Numbers
    Pinned: each epoch trains with the rate that torch 1.0 gave it.

    ## When it stays its hand
    In files that may be younger, where a finding says where `step()` belongs. So it does where an
    epoch can end early by `continue`, where code outside of the loop reads the optimizer or the
    scheduler (it would see the rate of the next epoch), where another scheduler has changed the
    rate that this one begins with, or changes it in turns with this one, where the function of a
    `LambdaLR` takes its rate out of what may have no last entry, where the scheduler is saved or
    asked for more than its rate, and for `step(epoch)`, which still sets the rate of that epoch:
    `step()` does so only where the epochs begin at 0 and grow by 1 with each call, and nothing is
    said where they do not.
    `ReduceLROnPlateau` and schedules that came with torch 1.1 are not touched.

    ## References
    - https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    - https://github.com/pytorch/pytorch/releases/tag/v1.1.0
    """

    code = "TP603"
    name = "scheduler-order"
    since = "1.4"
    numerics = Numerics.PINNED
    changed_in = "1.1"
    words = frozenset({"step"}) | {name.rpartition(".")[2] for name in FROM_RATE_OF_OPTIMIZER}
    message = "since torch 1.1 this step would set the rate of the next epoch: it goes to the end"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        place = place_of(call, facts)
        if is_version_checked(facts, call):
            return
        if is_told_where_built(call, facts):
            yield self.advice(call, _BUILT_AGAIN.format(first_rates_again(call, facts)))
        elif (shared := told_where_shared(call, facts)) is not None:
            yield self.advice(call, shared)
        if getattr(call.func, "attr", None) != "step" or steps_another(call, facts):
            return
        if is_idle(call, facts) or has_set_epoch(call, facts):
            return
        repeated = steps_below(call, facts)
        if place is None and not repeated and stands_above_step(call, facts):
            if (order := instead_of_order(call, facts)) is not None:
                yield self.advice(call, too_early([call], order, facts))
        elif place is None or repeated:
            yield from self._find_later(call, repeated, facts)
        elif not is_stepped_by_callers(call, facts):
            yield from self._find_first(call, place, facts)

    def _find_first(self, call: ast.Call, place: Place, facts: Facts) -> Iterator[Found]:
        """A step that comes before all training of an epoch."""
        entries = entries_asked(call, facts)
        also = also_of_builder(call, facts) + also_of_entries(entries, facts)
        if call.args or call.keywords:
            below = where_it_belongs(place, facts)
            if (instead := instead_of_epoch(call, below, also, facts)) is not None:
                yield self.advice(call, instead)
        elif is_left(call, place, facts):
            told = told_with(call, facts)
            if told[0] is call:
                order = instead_of_order(call, facts) or written_below(told, place, facts)
                yield self.advice(call, too_early(told, order, facts) + also)
        else:
            group = f"step in line {call.lineno}"
            yield self.found(call, group=group, region=place.owner, place=place)
            for rate in rates_asked(call, place.block[place.index :]):
                yield self.found(rate, _GET_LR, group=group)
            for entry in entries:
                yield self.found(entry.node, _ONE_MORE, group=group, index=entry.index)

    def _find_later(
        self, step: ast.Call, repeated: list[ast.Call], facts: Facts
    ) -> Iterator[Found]:
        """A first step that set the first rate once more, alone or in a loop below training."""
        if comes_later(step, facts):
            beside = [other for other in steps_beside(step, facts) if comes_later(other, facts)]
            # Of those of several optimizers it is told once.
            if beside[0] is step:
                lines = [facts.origin(other.lineno) for other in beside[1:]]
                is_resumed = any(resumes(n, facts) for n in facts.names.nodes.get(ast.Call, ()))
                told = _LATER if is_resumed else _LATER + _LEAVE_OUT_FIRST
                entries = (entry for each in beside for entry in entries_asked(each, facts))
                also = also_in(lines, facts) + also_of_entries(entries, facts)
                yield self.advice(step, told + also)
        elif is_old(step, facts) and any(is_below_training(n, facts) for n in repeated):
            yield self.advice(step, _ONCE_MORE)

    def leave_For(self, original: cst.For, updated: cst.For) -> cst.For:
        return updated.with_changes(body=_with_step_at_end(updated.body, self.data["place"]))

    def leave_While(self, original: cst.While, updated: cst.While) -> cst.While:
        return updated.with_changes(body=_with_step_at_end(updated.body, self.data["place"]))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        return updated.with_changes(func=updated.func.with_changes(attr=cst.Name("get_last_lr")))

    def leave_Subscript(self, original: cst.Subscript, updated: cst.Subscript) -> cst.Subscript:
        index = cst.Index(cst.parse_expression(self.data["index"]))
        return updated.with_changes(slice=[cst.SubscriptElement(index)])


def _with_step_at_end(block: cst.BaseSuite, place: Place) -> cst.BaseSuite:
    """The body of a loop with its step as the last statement, and the comments of the step."""
    body = list(block.body)
    step = body[place.index] if len(body) == len(place.block) else None
    if place.line:
        if not isinstance(step, cst.If):
            return block
        rest = step.body.with_changes(body=step.body.body[1:])
        body[place.index] = step.with_changes(body=rest)
        return block.with_changes(body=[*body, cst.parse_statement(place.line)])
    if not isinstance(step, (cst.SimpleStatementLine, cst.If)) or place.index + 1 == len(body):
        return block
    comments = [line for line in step.leading_lines if line.comment is not None]
    del body[place.index]
    following = body[place.index]
    assert isinstance(following, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    below = list(following.leading_lines)
    while below and below[0].comment is None:
        below.pop(0)
    above = [line for line in step.leading_lines if line.comment is None]
    body[place.index] = following.with_changes(leading_lines=[*above, *below])
    return block.with_changes(body=[*body, step.with_changes(leading_lines=comments)])
