"""A scheduler's step that stands right above the one of its optimizer: two lines to swap."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import LOOPS, same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Optimizer, Scheduler
from torchfix_codemods.rules.training.questions.schedulers.built_again import builders
from torchfix_codemods.rules.training.questions.schedulers.step_places import above_jumps
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    is_by_epochs,
    is_scheduler_step,
    reads_rate,
    resumes,
)


def instead_of_order(step: ast.Call, facts: Facts) -> str | None:
    """What to do where the optimizer steps below in the block: ``swap this line and line 9, …``.

    None where it does not, where it is not sure to be the scheduler's own, and where something
    below reads the rate, which would be the next one then.
    """
    statement = facts.parent(step)
    if not isinstance(statement, ast.Expr):
        return None
    block = facts.block(statement)
    below = block[block.index(statement) + 1 :]
    steps = [each for each in below if _is_own_step(each, step, facts)]
    if len(steps) != 1 or any(_reads(each, facts) for each in below if each is not steps[0]):
        return None
    last = facts.origin(steps[0].lineno)
    lines = statement.lineno, statement.end_lineno, steps[0].lineno, steps[0].end_lineno
    if steps[0] is below[0] and lines[0] == lines[1] and lines[2] == lines[3] == lines[1] + 1:
        return f"swap this line and line {last}, so that `{_called(steps[0])}` comes first"
    end = steps[0].end_lineno or steps[0].lineno
    above = above_jumps(step, end, facts)
    return f"move {ast.unparse(step)} below line {facts.origin(end)}{above}"


def _called(statement: ast.stmt) -> str:
    """``optimizer.step()``, ``optimizer.step(...)`` of a statement that calls it."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    assert isinstance(call, ast.Call)
    return f"{ast.unparse(call.func)}({'...' if call.args or call.keywords else ''})"


def stands_above_step(step: ast.Call, facts: Facts) -> bool:
    """Whether a scheduler steps in a loop, right above its optimizer and nowhere else.

    What stands above, as ``loss.backward()``, uses no rate.
    """
    statement = facts.parent(step)
    if not is_scheduler_step(step, facts) or not isinstance(statement, ast.Expr):
        return False
    assert isinstance(step.func, ast.Attribute)
    scheduler = facts.value(step.func.value)
    if not isinstance(scheduler, Scheduler) or not is_by_epochs(scheduler, step):
        return False
    block = facts.block(statement)
    following = block[block.index(statement) + 1 :]
    if not following or not _is_own_step(following[0], step, facts):
        return False
    own = following[0].value if isinstance(following[0], ast.Expr) else None
    receivers = (step.func, getattr(own, "func", None))
    steps = facts.names.method_calls("step")
    alike = [n for n in steps if any(r and same_expression(n.func, r) for r in receivers)]
    is_resumed = any(resumes(call, facts) for call in facts.names.nodes.get(ast.Call, ()))
    return len(alike) == 2 and not is_resumed and not step.args and _is_in_loop(step, facts)


def _is_in_loop(step: ast.Call, facts: Facts) -> bool:
    """Whether a loop of its own function makes a step again and again."""
    function = facts.names.enclosing_function(step)
    for around in facts.names.ancestors(step):
        if around is function:
            return False
        if isinstance(around, LOOPS):
            return True
    return False


def _is_own_step(statement: ast.stmt, step: ast.Call, facts: Facts) -> bool:
    """Whether a statement is the step of the optimizer that a scheduler was built on."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    optimizer = call.func.value
    if call.func.attr != "step" or not isinstance(facts.value(optimizer), Optimizer):
        return False
    built = [argument(made, 0, "optimizer") for made in builders(step, facts)]
    if built:
        return all(each is not None and same_expression(each, optimizer) for each in built)
    return not any(
        isinstance(other.func, ast.Attribute)
        and isinstance(facts.value(other.func.value), Optimizer)
        and not same_expression(other.func.value, optimizer)
        for other in facts.names.method_calls("step")
    )


def _reads(statement: ast.stmt, facts: Facts) -> bool:
    return any(reads_rate(node, facts) for node in ast.walk(statement))
