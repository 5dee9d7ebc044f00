"""Schedulers that step in turns and are built on one optimizer: each changes what others set."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.nodes import LOOPS, same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Scheduler
from torchfix_codemods.rules.training.questions.schedulers.built_again import (
    begins_with_rate,
    builders,
)
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    FROM_RATE_OF_OPTIMIZER,
    SAME_RATES,
    train,
)

_SHARED = (
    "line {line} builds a scheduler on {optimizer}, too: until torch 1.3 each step() of this one "
    "set the rate of its own schedule, since 1.4 it goes on from the rate that the other one has "
    "left: {remedy}"
)
_LEAVE_OUT = (
    "leave out {step} in line {line} for the old rates, or build one of the two on the optimizer "
    "that it is meant for"
)
_GIVE_ONE = "give {optimizer} one schedule, or build one of the two on another optimizer"


def shares_optimizer(step: ast.Call, facts: Facts) -> bool:
    """Whether another scheduler has set the rate of the same optimizer before a step.

    Until torch 1.3 it did not matter, as a step set the rate that its own schedule gives.
    """
    return any(
        _take_turns(step, other, pair, facts) or pair[0].lineno < other.lineno < step.lineno
        for other, pair in _of_same_optimizer(step, facts)
    )


def told_where_shared(built: ast.Call, facts: Facts) -> str | None:
    """What to know where the second scheduler of an optimizer is built; None where it is not."""
    optimizer = argument(built, 0, "optimizer")
    if facts.name(built.func) not in FROM_RATE_OF_OPTIMIZER or optimizer is None:
        return None
    if not facts.numbers_before(built, (1, 4)) or not begins_with_rate(built, facts):
        return None
    for step in facts.names.method_calls("step"):
        if built not in builders(step, facts):
            continue
        for other, pair in _of_same_optimizer(step, facts):
            if pair[0] is built and _take_turns(step, other, pair, facts):
                return _told((step, other), pair, ast.unparse(optimizer), facts)
    return None


def _told(
    steps: tuple[ast.Call, ast.Call], pair: tuple[ast.Call, ast.Call], optimizer: str, facts: Facts
) -> str | None:
    """Of two that both go on from a rate it is told once, where the second one is built."""
    (step, other), (built, beside) = steps, pair
    kind = facts.name(beside.func)
    if kind in FROM_RATE_OF_OPTIMIZER and beside.lineno > built.lineno:
        return None
    remedy = _GIVE_ONE.format(optimizer=optimizer)
    if kind in SAME_RATES and not other.args and not other.keywords:
        first, last = sorted((step, other), key=lambda each: each.lineno)
        if _follow_each_other(first, last, facts):
            if last is other and kind not in FROM_RATE_OF_OPTIMIZER:
                # It sets its own rate, still, and is the last one.
                return None
            line = facts.origin(first.lineno)
            remedy = _LEAVE_OUT.format(step=ast.unparse(first), line=line)
    return _SHARED.format(line=facts.origin(beside.lineno), optimizer=optimizer, remedy=remedy)


def _of_same_optimizer(
    step: ast.Call, facts: Facts
) -> list[tuple[ast.Call, tuple[ast.Call, ast.Call]]]:
    """The steps of other schedulers of an optimizer, each with what builds the two."""
    own = builders(step, facts)
    return [
        (other, (built, beside))
        for other in facts.names.method_calls("step")
        if own and other is not step
        for beside in builders(other, facts)
        if beside not in own and isinstance(facts.value(beside), Scheduler)
        for built in own
        if _are_of_one_optimizer(built, beside, facts)
        and not are_exclusive(facts.names, built, beside)
    ]


def _are_of_one_optimizer(built: ast.Call, beside: ast.Call, facts: Facts) -> bool:
    one, other = (argument(call, 0, "optimizer") for call in (built, beside))
    if not isinstance(one, (ast.Name, ast.Attribute)) or other is None:
        return False
    if not same_expression(one, other):
        return False
    if facts.names.enclosing_function(built) is not facts.names.enclosing_function(beside):
        return False
    if isinstance(one, ast.Name) and isinstance(other, ast.Name):
        return facts.flow.reaching(one) == facts.flow.reaching(other)
    return True


def _take_turns(
    step: ast.Call, other: ast.Call, pair: tuple[ast.Call, ast.Call], facts: Facts
) -> bool:
    """Whether a loop, or a function, that builds neither scheduler makes steps of both."""
    around = [set(facts.names.ancestors(node)) for node in (step, other)]
    built = {p for call in pair for p in facts.names.ancestors(call)}
    return any(isinstance(p, (*LOOPS, ast.FunctionDef)) for p in around[0] & around[1] - built)


def _follow_each_other(first: ast.Call, last: ast.Call, facts: Facts) -> bool:
    """Whether one step always comes after the other, and before anything trains."""
    above, below = facts.parent(first), facts.parent(last)
    if not isinstance(above, ast.Expr) or not isinstance(below, ast.Expr):
        return False
    block = facts.block(above)
    return below in block and not train(block[block.index(above) : block.index(below)], facts)
