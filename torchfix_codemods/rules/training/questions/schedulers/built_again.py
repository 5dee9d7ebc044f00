"""Schedulers on an optimizer whose rate another scheduler has changed already."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import LOOPS, own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.held import set_in_class
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    FROM_RATE_OF_OPTIMIZER,
    SAME_RATES,
    resumes,
)

#: Code that sets rates itself knows what a scheduler is to begin with.
_RATES_SET = ("initial_lr", "load_state_dict", "add_param_group")

_AND_BUILT_AGAIN = (
    ", and, as since torch 1.4 a new scheduler begins with the rate that the optimizer has by now, "
    "not with its first one, write `{0}` above line {1}"
)


def first_rates_again(call: ast.Call, facts: Facts) -> str | None:
    """What gives an optimizer its first rates again before a scheduler is built on it.

    None where the scheduler does not begin with the rate that the optimizer has, or where no
    other one has certainly changed that.
    """
    optimizer = argument(call, 0, "optimizer")
    if facts.name(call.func) not in FROM_RATE_OF_OPTIMIZER or not isinstance(optimizer, ast.Name):
        return None
    if resumes(call, facts) or _sets_rates(facts):
        return None
    if _is_scheduled_above(call, optimizer, facts):
        first = 'group["initial_lr"]'
    elif _is_scheduled_in_round_before(call, optimizer, facts):
        first = 'group.get("initial_lr", group["lr"])'
    else:
        return None
    return f'for group in {optimizer.id}.param_groups: group["lr"] = {first}'


def builders(step: ast.Call, facts: Facts) -> list[ast.Call]:
    """The calls that build the scheduler that steps, as far as they are to be seen."""
    scheduler = step.func.value if isinstance(step.func, ast.Attribute) else None
    built: Sequence[ast.expr] = ()
    if isinstance(scheduler, ast.Name):
        built = facts.assigned(scheduler) or ()
    elif isinstance(scheduler, ast.Attribute):
        built = set_in_class(scheduler, facts)
    return [call for call in built if isinstance(call, ast.Call)]


def begins_with_rate(call: ast.Call, facts: Facts) -> bool:
    """Whether a scheduler begins with the rate that the optimizer has: not with ``step(epoch)``."""
    calls = facts.names.nodes.get(ast.Call, ())
    return not any(step.args or step.keywords for step in _steps(call, calls, facts))


def is_told_where_built(call: ast.Call, facts: Facts) -> bool:
    """Whether a call builds a scheduler that began with another rate when it was written."""
    return (
        first_rates_again(call, facts) is not None
        and facts.numbers_before(call, (1, 4))
        and begins_with_rate(call, facts)
    )


def also_of_builder(step: ast.Call, facts: Facts) -> str:
    """What there is to do where the scheduler that steps is built, if that is not told there."""
    for built in builders(step, facts):
        again = first_rates_again(built, facts)
        if again is not None and not is_told_where_built(built, facts):
            return _AND_BUILT_AGAIN.format(again, facts.origin(built.lineno))
    return ""


def _sets_rates(facts: Facts) -> bool:
    return any(map(facts.speaks_of, _RATES_SET)) or any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == "lr"
        for node in facts.names.nodes.get(ast.Subscript, ())
    )


def _is_scheduled_above(call: ast.Call, optimizer: ast.Name, facts: Facts) -> bool:
    """Whether a scheduler was built on the same optimizer above, and stepped in between."""
    bound = facts.flow.reaching(optimizer)
    for block, statement in _blocks_around(call, facts):
        above = block[: block.index(statement)]
        for index, built in enumerate(above):
            other = built.value if isinstance(built, ast.Assign) else None
            if not isinstance(other, ast.Call) or facts.name(other.func) not in SAME_RATES:
                continue
            given = argument(other, 0, "optimizer")
            is_same = isinstance(given, ast.Name) and given.id == optimizer.id
            if is_same and bound and facts.flow.reaching(given) == bound:  # type: ignore[arg-type]
                if any(_steps_in_loop(other, loop, facts) for loop in above[index + 1 :]):
                    return True
    return False


def _is_scheduled_in_round_before(call: ast.Call, optimizer: ast.Name, facts: Facts) -> bool:
    """Whether each round of a loop builds the scheduler on one optimizer, and lets it step."""
    bound = [getattr(b.node, "lineno", 0) for b in facts.flow.reaching(optimizer)]
    for _, statement in _blocks_around(call, facts):
        loop = facts.parent(statement)
        if not isinstance(loop, LOOPS):
            return False
        inside = range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
        if bound and not any(line in inside for line in bound):
            below = loop.body[loop.body.index(statement) + 1 :] if statement in loop.body else []
            return any(_steps_in_loop(call, part, facts) for part in below)
    return False


def _blocks_around(node: ast.AST, facts: Facts) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """The blocks that hold a node, from the inside, with the statement of each that does."""
    statement = facts.statement(node)
    while True:
        yield facts.block(statement), statement
        owner = facts.parent(statement)
        if not isinstance(owner, ast.stmt) or isinstance(owner, (ast.FunctionDef, ast.ClassDef)):
            return
        statement = owner


def _steps_in_loop(built: ast.Call, statement: ast.stmt, facts: Facts) -> bool:
    """Whether a loop makes steps of the scheduler that a call builds."""
    is_loop = isinstance(statement, LOOPS)
    return is_loop and any(_steps(built, own_nodes(ast.Module([statement], [])), facts))


def _steps(built: ast.Call, nodes: Iterable[ast.AST], facts: Facts) -> Iterator[ast.Call]:
    """The steps of the scheduler that a call builds."""
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "step":
            if built in builders(node, facts):
                yield node
