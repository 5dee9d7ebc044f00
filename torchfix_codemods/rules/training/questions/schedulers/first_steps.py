"""The first step of a scheduler, and steps that set no rate of what is trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import LOOPS, same_expression, same_target
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Optimizer
from torchfix_codemods.rules.training.questions.schedulers.built_again import builders
from torchfix_codemods.rules.training.questions.schedulers.step_places import (
    is_below_training,
    may_be_moved,
    place_of,
)


def step_above(step: ast.Call, facts: Facts) -> ast.Call | None:
    """The same step, made once above the loop that makes this one."""
    loops = _loops_around(step, facts)
    return next(
        (
            other
            for other in _alike(step, facts)
            if loops and _is_made_once(other, facts) and other.lineno < loops[-1].lineno
        ),
        None,
    )


def steps_below(step: ast.Call, facts: Facts) -> list[ast.Call]:
    """The same steps in loops below one that is made once."""
    return [other for other in _alike(step, facts) if step_above(other, facts) is step]


def is_old(step: ast.Call, facts: Facts) -> bool:
    """Whether a step was written for torch 1.0; what this rule moved keeps its rates."""
    return facts.numbers_before(step, (1, 1)) and not may_be_moved(step, facts)


def comes_later(step: ast.Call, facts: Facts) -> bool:
    """Whether a step below the training is the first one of its scheduler, of torch 1.0."""
    return (
        is_old(step, facts)
        and is_below_training(step, facts)
        and place_of(step, facts) is None
        and step_above(step, facts) is None
        and not any(is_below_training(other, facts) for other in steps_below(step, facts))
        and not steps_another(step, facts)
        and not _is_given_epochs(step, facts)
        and not _is_only_step(step, facts)
    )


def _is_given_epochs(step: ast.Call, facts: Facts) -> bool:
    """Whether ``scheduler.step(epoch)`` of the same name sets the epoch somewhere else."""
    return any(
        (other.args or other.keywords) and same_expression(other.func, step.func)
        for other in facts.names.method_calls("step")
    )


def _is_only_step(step: ast.Call, facts: Facts) -> bool:
    """Whether no optimizer steps where gradients are calculated: no rate is used."""
    loops = _loops_around(step, facts)
    if not loops:
        return False
    made = [
        node.func.attr
        for node in facts.names.inside(loops[-1], ast.Call)
        if node is not step and isinstance(node.func, ast.Attribute)
    ]
    return "backward" in made and "step" not in made


def steps_beside(step: ast.Call, facts: Facts) -> list[ast.Call]:
    """The steps in the statements around one, without anything between them, and itself."""
    block = facts.block(facts.statement(step))
    place = block.index(facts.statement(step))
    first = last = place
    while first and _step_of(block[first - 1]):
        first -= 1
    while last + 1 < len(block) and _step_of(block[last + 1]):
        last += 1
    found = (_step_of(statement) for statement in block[first : last + 1])
    return [each for each in found if each is not None]


def _step_of(statement: ast.stmt) -> ast.Call | None:
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_step = isinstance(call, ast.Call) and getattr(call.func, "attr", None) == "step"
    return call if is_step and isinstance(call, ast.Call) else None


def steps_another(step: ast.Call, facts: Facts) -> bool:
    """Whether all optimizers that step in the same loop, or function, are others than its own."""
    loops = _loops_around(step, facts)
    around = loops[-1] if loops else facts.names.enclosing_function(step) or facts.tree
    built = [argument(call, 0, "optimizer") for call in builders(step, facts)]
    own = {ast.dump(each) for each in built if isinstance(each, (ast.Name, ast.Attribute))}
    stepped = {
        ast.dump(node.func.value)
        for node in facts.names.inside(around, ast.Call)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "step"
        and isinstance(facts.value(node.func.value), Optimizer)
    }
    return bool(own) and len(own) == len(built) and bool(stepped) and own.isdisjoint(stepped)


def has_set_epoch(step: ast.Call, facts: Facts) -> bool:
    """Whether a scheduler is told by hand which epoch it is in: ``scheduler.last_epoch = n``.

    Its first step goes on from there, and was not the one of the constructor made again.
    """
    scheduler = step.func.value if isinstance(step.func, ast.Attribute) else None
    return scheduler is not None and any(
        isinstance(node.ctx, ast.Store) and same_target(node.value, scheduler)
        for node in facts.names.attributes("last_epoch")
    )


def is_idle(step: ast.Call, facts: Facts) -> bool:
    """Whether a scheduler makes this one step in its life, and its first rate lasts for more.

    ``StepLR(optimizer, 30)``, made anew in each call of the function around it.
    """
    scheduler = step.func.value if isinstance(step.func, ast.Attribute) else None
    built, function = builders(step, facts), facts.names.enclosing_function(step)
    if not isinstance(scheduler, ast.Name) or function is None or len(built) != 1:
        return False
    if facts.names.enclosing_function(built[0]) is not function or _loops_around(step, facts):
        return False
    found = facts.names.scope_of(scheduler).lookup(scheduler.id)
    uses = [] if found is None else [*facts.names.uses_of(found[0], scheduler.id)]
    is_only_one = [use for use in uses if isinstance(use.ctx, ast.Load)] == [scheduler]
    return is_only_one and not step.args and not step.keywords and _lasts(built[0], facts)


def _lasts(built: ast.Call, facts: Facts) -> bool:
    """Whether the first rate of a new scheduler lasts for several steps."""
    if is_opaque(built) or argument(built, 3, "last_epoch") is not None:
        return False
    name = facts.name(built.func)
    if name == "torch.optim.lr_scheduler.StepLR":
        return (whole_number(argument(built, 1, "step_size")) or 0) > 1
    milestones = argument(built, 1, "milestones")
    if name != "torch.optim.lr_scheduler.MultiStepLR" or not isinstance(milestones, ast.List):
        return False
    return all((whole_number(milestone) or 0) > 1 for milestone in milestones.elts)


def _alike(step: ast.Call, facts: Facts) -> Iterator[ast.Call]:
    """The other steps of the same scheduler in the same function."""
    function = facts.names.enclosing_function(step)
    for other in facts.names.method_calls("step"):
        if other is not step and same_expression(other, step):
            if facts.names.enclosing_function(other) is function:
                if isinstance(facts.parent(other), ast.Expr) and _is_one(step, other, facts):
                    yield other


def _is_made_once(step: ast.Call, facts: Facts) -> bool:
    """Whether a step stands in the body of its function, or of the module, itself."""
    statement = facts.parent(step)
    owner = None if statement is None else facts.parent(statement)
    return isinstance(owner, (ast.Module, ast.FunctionDef))


def _is_one(step: ast.Call, other: ast.Call, facts: Facts) -> bool:
    """Whether two steps of one name are those of one scheduler."""
    names = [each.func.value for each in (step, other) if isinstance(each.func, ast.Attribute)]
    bound = [facts.flow.reaching(name) if isinstance(name, ast.Name) else () for name in names]
    return bound[0] == bound[1]


def _loops_around(node: ast.AST, facts: Facts) -> list[ast.stmt]:
    """The loops that make a step again and again, from the inside, within its function."""
    function = facts.names.enclosing_function(node)
    found: list[ast.stmt] = []
    for around in facts.names.ancestors(node):
        if around is function:
            break
        if isinstance(around, LOOPS):
            found.append(around)
    return found
