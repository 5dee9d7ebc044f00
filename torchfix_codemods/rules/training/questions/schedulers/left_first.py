"""The steps before all training of an epoch that stay where they are, which a finding tells."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.training.questions.schedulers.built_again import (
    also_of_builder,
    builders,
    first_rates_again,
)
from torchfix_codemods.rules.training.questions.schedulers.called_steps import is_stepped_by_callers
from torchfix_codemods.rules.training.questions.schedulers.entries_asked import entries_asked
from torchfix_codemods.rules.training.questions.schedulers.first_steps import (
    has_set_epoch,
    is_idle,
    steps_another,
    steps_below,
    steps_beside,
)
from torchfix_codemods.rules.training.questions.schedulers.later_steps import can_move
from torchfix_codemods.rules.training.questions.schedulers.shared_rates import shares_optimizer
from torchfix_codemods.rules.training.questions.schedulers.step_places import (
    Place,
    above_jumps,
    place_of,
    where_it_belongs,
)
from torchfix_codemods.rules.training.questions.schedulers.swapped import instead_of_order
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    kind_of_scheduler,
    train,
)
from torchfix_codemods.text.wording import listed, worded_lines


def is_left(step: ast.Call, place: Place, facts: Facts) -> bool:
    """Whether a step may not be moved to the end of its epoch."""
    return (
        not facts.numbers_before(step, (1, 1))
        or kind_of_scheduler(step, facts) is None
        or any(first_rates_again(built, facts) for built in builders(step, facts))
        or shares_optimizer(step, facts)
        or any(entry.index is None for entry in entries_asked(step, facts))
        or not can_move(step, place, facts)
    )


def told_with(step: ast.Call, facts: Facts) -> list[ast.Call]:
    """The steps beside one of which nothing else is to say, and itself: one finding tells all."""
    if not _is_plain(step, facts):
        return [step]
    return [each for each in steps_beside(step, facts) if each is step or _is_plain(each, facts)]


def _is_plain(step: ast.Call, facts: Facts) -> bool:
    place = place_of(step, facts)
    return (
        place is not None
        and not (step.args or step.keywords)
        and not steps_below(step, facts)
        and not steps_another(step, facts)
        and not (is_idle(step, facts) or has_set_epoch(step, facts))
        and not is_stepped_by_callers(step, facts)
        and instead_of_order(step, facts) is None
        and not (entries_asked(step, facts) or also_of_builder(step, facts))
        and is_left(step, place, facts)
    )


def too_early(steps: list[ast.Call], order: str, facts: Facts) -> str:
    """What is said of steps above those of the optimizer, and what is to be done."""
    lines = [facts.origin(step.lineno) for step in steps[1:]]
    come = f"this and {worded_lines(lines)} come" if lines else "this comes"
    early = "since torch 1.1 each rate comes one step() too early"
    return f"{early}, as {come} before the optimizer's steps: {order}"


def written_below(steps: list[ast.Call], place: Place, facts: Facts) -> str:
    """Which steps go where: below the optimizer's under the same ``if``, if it is there."""
    step, called = steps[0], listed(map(ast.unparse, steps))
    statement = facts.statement(step)
    block = facts.block(statement)
    last = next((s for s in reversed(block) if train([s], facts)), statement)
    if last is statement or block is place.block or last not in block[block.index(statement) :]:
        held = facts.parent(statement)
        under = f", under `if {facts.segment(held.test)}:`" if isinstance(held, ast.If) else ""
        there = where_it_belongs(place, facts, "to")
        end = place.owner.end_lineno or place.owner.lineno
        return f"move {called} {there}{under}{above_jumps(step, end, facts, len(steps) > 1)}"
    end = last.end_lineno or last.lineno
    above = above_jumps(step, end, facts, len(steps) > 1)
    return f"move {called} below line {facts.origin(end)}{above}"
