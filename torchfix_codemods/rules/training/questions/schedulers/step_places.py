"""Where in an epoch a scheduler steps: before all that trains, or after it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.jumps import jumps_of
from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.values.lattice import Optimizer, Scheduler
from torchfix_codemods.record import record
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    is_by_epochs,
    is_of_file,
    is_scheduler_step,
    reads_rate,
    scheduler_of,
    train,
)
from torchfix_codemods.text.wording import worded_lines


@record
class Place:
    """Where a step stands: at the top of a loop, or of a function, that trains below it."""

    owner: ast.stmt
    block: list[ast.stmt]
    """The body of ``owner``."""
    index: int
    """The statement of it that is or holds the step."""
    line: str
    """What to write at the end, where the step leaves an ``if`` with other statements behind."""


def _last_of_epoch(place: Place, facts: Facts) -> ast.stmt:
    """The statement that a step belongs below: of a function, the last one that trains."""
    if isinstance(place.owner, LOOPS):
        return place.block[-1]
    below = place.block[place.index :]
    return next(statement for statement in reversed(below) if train([statement], facts))


def where_it_belongs(place: Place, facts: Facts, word: str = "at") -> str:
    """Where in an epoch a step belongs: ``at`` the end of it, or ``to`` which it goes."""
    if isinstance(place.owner, LOOPS):
        line = facts.origin(place.owner.lineno)
        return f"{word} the end of each round of the loop in line {line}"
    last = _last_of_epoch(place, facts)
    if isinstance(last, LOOPS):
        return f"below the loop in line {facts.origin(last.lineno)}"
    return f"after line {facts.origin(last.end_lineno or last.lineno)}"


def step_moved(step: ast.Call, facts: Facts) -> str:
    """The step that is written in another place, under the condition that it stands under."""
    written = f"{ast.unparse(step.func)}()"
    held = facts.parent(facts.statement(step))
    return f"`if {facts.segment(held.test)}: {written}`" if isinstance(held, ast.If) else written


def above_jumps(step: ast.Call, end: int, facts: Facts, has_others: bool = False) -> str:
    """Where else a step belongs that goes below a line: each ``continue`` above would skip it."""
    around = facts.names.ancestors(step)
    loop = next((a for a in around if isinstance(a, (*LOOPS, ast.FunctionDef))), None)
    if not isinstance(loop, LOOPS):
        return ""
    jumps = [jump.lineno for jump in jumps_of(facts.names, loop, ast.Continue)]
    lines = [facts.origin(line) for line in sorted(jumps) if step.lineno < line < end]
    called = "them" if has_others else "it"
    return f", and call {called} above `continue` in {worded_lines(lines)} as well" if lines else ""


def place_of(call: ast.Call, facts: Facts) -> Place | None:
    """The place of a step that comes before all training of an epoch."""
    statement = facts.parent(call)
    if not is_scheduler_step(call, facts) or not isinstance(statement, ast.Expr):
        return None
    assert isinstance(call.func, ast.Attribute)
    scheduler = facts.value(call.func.value)
    if not isinstance(scheduler, Scheduler) or not is_by_epochs(scheduler, call):
        return None
    line = ""
    owner = facts.parent(statement)
    if isinstance(owner, ast.If):
        if statement is not owner.body[0] or isinstance(facts.parent(owner), ast.If):
            return None
        if len(owner.body) > 1 or owner.orelse:
            line = f"if {facts.segment(owner.test)}:\n    {ast.unparse(statement)}"
        statement, owner = owner, facts.parent(owner)
        if not isinstance(owner, LOOPS) or not _is_as_often_at_end(statement, owner, facts):
            return None
    if not isinstance(owner, (*LOOPS, ast.FunctionDef)) or statement not in owner.body:
        return None
    if isinstance(owner, ast.FunctionDef) and _is_closure(owner, facts):
        return None
    index = owner.body.index(statement)
    if train(owner.body[:index], facts) or not train(owner.body[index:], facts):
        return None
    return Place(owner, owner.body, index, line)


def _is_closure(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether an optimizer's own step runs a function, which cannot step below that then."""
    return any(
        isinstance(given, ast.Name) and given.id == function.name
        for call in facts.names.method_calls("step")
        for given in values_given(call)
    )


def is_below_training(call: ast.Call, facts: Facts) -> bool:
    """Whether a scheduler of torch 1.0 steps in a loop, after what trains in it."""
    if call.args or call.keywords or not isinstance(call.func, ast.Attribute):
        return False
    scheduler = scheduler_of(call.func.value, facts)
    is_of_torch = isinstance(scheduler, Scheduler) and is_by_epochs(scheduler, call)
    if call.func.attr != "step" or not (is_of_torch or is_of_file(call.func.value, facts)):
        return False
    statement = facts.parent(call)
    owner = None if statement is None else facts.parent(statement)
    while isinstance(owner, ast.If):
        statement, owner = owner, facts.parent(owner)
    if not isinstance(owner, LOOPS) or statement not in owner.body:
        return False
    index = owner.body.index(statement)
    steps = (node for node in ast.walk(owner) if ast.dump(node) == ast.dump(call))
    is_last = not train(owner.body[index + 1 :], facts) and len([*steps]) == 1
    return is_last and train(owner.body[:index], facts)


def may_be_moved(step: ast.Call, facts: Facts) -> bool:
    """Whether a step may stand in another place than before it was rewritten.

    Something else may have been rewritten in its line: ``scheduler.step(); print(get_lr())``.
    """
    if not facts.is_rewritten(step.lineno):
        return False
    line = facts.origin(step.lineno)
    stood_there = rf"(?<![\w.]){re.escape(facts.segment(step))}"
    return (
        line in facts.ages.kept.written
        # What was moved stands below lines that stood below it, or above such that stood above.
        or any(facts.origin(above) > line for above in range(1, step.lineno))
        or line > facts.origin(step.lineno + 1)
        or re.search(stood_there, facts.as_read(step.lineno)) is None
    )


def _is_as_often_at_end(held: ast.If, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a step under ``if`` is made in just those rounds in which optimizers step."""
    assert isinstance(loop, LOOPS)
    place = loop.body.index(held) if held in loop.body else 0
    if not _is_steady(held.test, loop.body[:place], loop.body[place:], facts):
        return False
    below = loop.body[place + 1 :] if held in loop.body else []
    if len(held.body) > 1 or held.orelse:
        return len(held.body) > 1 and _steps_under(held.test, below, facts)
    return _is_flag(held.test)


def _is_steady(
    test: ast.expr, above: Sequence[ast.stmt], below: Sequence[ast.stmt], facts: Facts
) -> bool:
    """Whether a test gives the same at the end of a round as at its place, and holds from then on.

    ``if img_optimizer:`` below ``img_optimizer = SGD(…)``, which a later epoch makes.

    Args:
        test: the test.
        above: the statements of the round above it.
        below: those from it on.
        facts: the facts of the module.
    """
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    if not all(
        isinstance(node, (ast.Name, ast.Constant, ast.Compare, ast.cmpop, ast.expr_context))
        for node in ast.walk(test)
    ):
        return False
    return not any(
        isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load)
        for statement in below
        for node in ast.walk(statement)
    ) and all(
        _is_made(node, facts)
        for statement in above
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
        if node.id in names and not isinstance(node.ctx, ast.Load)
    )


def _is_made(target: ast.Name, facts: Facts) -> bool:
    """Whether a name is bound to a new optimizer or scheduler, which is there from then on."""
    made = facts.parent(target)
    if not isinstance(made, ast.Assign) or target not in made.targets:
        return False
    return isinstance(facts.value(made.value), (Optimizer, Scheduler))


def _is_flag(test: ast.expr) -> bool:
    """``scheduler is not None``, ``decay``: what stays the same from one epoch to the next."""
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.IsNot) and isinstance(test.left, ast.Name)
    return isinstance(test, ast.Name)


def _steps_under(test: ast.expr, statements: Sequence[ast.stmt], facts: Facts) -> bool:
    """Whether optimizers are used, and trained with, only where ``test`` holds, too."""
    wanted = ast.dump(test)
    for statement in statements:
        for node in ast.walk(statement):
            is_use = isinstance(node, ast.Call) and trains([node], facts)
            if not is_use and not reads_rate(node, facts):
                continue
            if isinstance(node, ast.Call) and _is_zero_grad(node):
                continue
            holders = [p for p in facts.names.ancestors(node) if isinstance(p, ast.If)]
            if not any(ast.dump(p.test) == wanted and _is_in(node, p.body, facts) for p in holders):
                return False
    return True


def _is_in(node: ast.AST, block: Sequence[ast.stmt], facts: Facts) -> bool:
    return any(parent in block for parent in facts.names.ancestors(node))


def _is_zero_grad(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "zero_grad"
