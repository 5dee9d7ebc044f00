"""How the epochs count that the steps of a scheduler are given."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import whole_number, without_offset
from torchfix_codemods.facts.language.nodes import LOOPS, same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rules.training.questions.schedulers.built_again import builders
from torchfix_codemods.rules.training.questions.schedulers.step_places import step_moved
from torchfix_codemods.rules.training.questions.schedulers.uses import SAME_RATES, resumes
from torchfix_codemods.text.wording import worded

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@record
class Counted:
    """Epochs that grow by 1 with each step of a scheduler."""

    first: int | None
    """The epoch of the first step; None where it is not known."""


def instead_of_epoch(step: ast.Call, below: str, again: str, facts: Facts) -> str | None:
    """What to write for ``scheduler.step(epoch)``: without an epoch, steps count from 0.

    None where it has to stay, as the epochs are others: it is deprecated, and sets the rate that it
    always did.

    Args:
        step: the call.
        below: where the step belongs.
        again: what there is to do besides.
        facts: the facts of the module.
    """
    given = step.args[0] if step.args else step.keywords[0].value
    epoch, now = worded(given, "the epoch"), counted(step, facts)
    if now is not None and now.first == 0:
        return (
            f"step(epoch) is deprecated: instead of it, write {step_moved(step, facts)} below the "
            f"optimizer's steps, {below}{again}"
        )
    if now is not None and now.first == 1 and not again and _counts_from_1(step, facts):
        return (
            f"step(epoch) is deprecated: step() in its place counts from 1 like {epoch}, as the "
            "scheduler begins at 0 itself"
        )
    return None


def counted(step: ast.Call, facts: Facts) -> Counted | None:
    """How the epochs of ``scheduler.step(epoch)`` count; None where they may not grow by 1."""
    name, offset = without_offset(step.args[0] if step.args else step.keywords[0].value)
    loop = next((p for p in facts.names.ancestors(step) if isinstance(p, LOOPS)), None)
    if not isinstance(name, ast.Name) or not isinstance(loop, ast.For):
        return None
    counts = loop.iter
    if (
        not (isinstance(loop.target, ast.Name) and loop.target.id == name.id)
        or not isinstance(counts, ast.Call)
        or facts.names.builtin(counts.func) != "range"
        or len(counts.args) not in (1, 2)
        or [binding.node for binding in facts.flow.reaching(name)] != [loop]
        or not _is_made_for(step, loop, facts)
    ):
        return None
    begins = [0] if len(counts.args) == 1 else _numbers(counts.args[0], facts)
    known = {None if begin is None else begin + offset for begin in begins}
    return Counted(known.pop() if len(known) == 1 else None)


def _counts_from_1(step: ast.Call, facts: Facts) -> bool:
    """Whether the step of a loop is the first of a new scheduler, and made in each round.

    The constructor takes epoch 0, unless it goes on from another one.
    """
    built = builders(step, facts)
    loop = next(p for p in facts.names.ancestors(step) if isinstance(p, LOOPS))
    return (
        bool(built)
        and all(facts.name(call.func) in SAME_RATES for call in built)
        and not any(resumes(call, facts) for call in facts.names.nodes.get(ast.Call, ()))
        and facts.parent(facts.statement(step)) is loop
        and not any(n.lineno < step.lineno for n in facts.names.inside(loop, ast.Continue))
        and not any(
            other is not step and same_expression(other.func, step.func)
            for other in facts.names.method_calls("step")
        )
    )


def _numbers(node: ast.expr, facts: Facts) -> list[int | None]:
    """The whole numbers that an expression may be; None among them is one that nobody knows."""
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    if not bindings:
        return [whole_number(node)]
    return [
        whole_number(binding.value)
        if binding.kind == "assign" and binding.value is not None and not binding.path
        else None
        for binding in bindings
    ]


def _is_made_for(step: ast.Call, loop: ast.For, facts: Facts) -> bool:
    """Whether each run of a loop has a scheduler of its own, as far as its function shows."""
    assert isinstance(step.func, ast.Attribute)
    scheduler = step.func.value
    for parent in facts.names.ancestors(loop):
        if isinstance(parent, _FUNCTIONS):
            break
        if isinstance(parent, LOOPS):
            made = facts.flow.reaching(scheduler) if isinstance(scheduler, ast.Name) else ()
            nodes = [binding.node for binding in made]
            return bool(nodes) and all(parent in facts.names.ancestors(node) for node in nodes)
    return True
