"""What a scheduler is, of torch or of the file's own, and what uses one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.values.lattice import Optimizer, Scheduler, Unknown, Value
from torchfix_codemods.rules.training.questions.given_functions import value_by_given_functions

#: Schedules of torch 1.0 whose rates are the same today, one step later.
SAME_RATES = frozenset(
    f"torch.optim.lr_scheduler.{name}"
    for name in "LambdaLR StepLR MultiStepLR ExponentialLR CosineAnnealingLR".split()
)

#: Those that until torch 1.3 calculated their rates from the first one of the optimizer, and since
#: then from the one that it has.
FROM_RATE_OF_OPTIMIZER = SAME_RATES - {"torch.optim.lr_scheduler.LambdaLR"}

#: How many arguments come before ``last_epoch``, where that is not three.
_ABOVE_LAST_EPOCH = {
    "torch.optim.lr_scheduler.LambdaLR": 2,
    "torch.optim.lr_scheduler.ExponentialLR": 2,
}

_BASES = ("torch.optim.lr_scheduler._LRScheduler", "torch.optim.lr_scheduler.LRScheduler")


def is_scheduler_step(node: ast.AST, facts: Facts) -> bool:
    """Whether a node is ``scheduler.step()``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "step"
        and isinstance(facts.value(node.func.value), Scheduler)
    )


def kind_of_scheduler(step: ast.Call, facts: Facts) -> str | None:
    """The class of the scheduler that steps, where it is just one."""
    assert isinstance(step.func, ast.Attribute)
    scheduler = facts.value(step.func.value)
    return scheduler.name if isinstance(scheduler, Scheduler) else None


def scheduler_of(node: ast.expr, facts: Facts) -> Value:
    """The value of ``scheduler``, also where a function that was given makes it of an optimizer."""
    value = facts.value(node)
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    if not isinstance(value, Unknown) or made is None or len(made) != 1:
        return value
    return value_by_given_functions(made[0], facts) if isinstance(made[0], ast.Call) else value


def is_of_file(scheduler: ast.expr, facts: Facts) -> bool:
    """Whether a scheduler is of a class of the file, which says no more than its rates."""
    made = facts.assigned(scheduler) if isinstance(scheduler, ast.Name) else None
    return bool(made) and all(
        isinstance(call, ast.Call) and _is_class_of_file(call.func, facts) for call in made or ()
    )


def _is_class_of_file(name: ast.expr, facts: Facts) -> bool:
    return any(
        isinstance(made, ast.ClassDef)
        and isinstance(name, ast.Name)
        and made.name == name.id
        and not {facts.name(base) for base in made.bases}.isdisjoint(_BASES)
        and not any(getattr(part, "name", "") == "step" for part in made.body)
        for made in facts.names.nodes.get(ast.ClassDef, ())
    )


def is_by_epochs(scheduler: Scheduler, step: ast.Call) -> bool:
    """Whether a step sets the rate of an epoch, and nothing else decides it.

    One of several kinds is one that does: ``ReduceLROnPlateau`` takes the loss.
    """
    if scheduler.name is None:
        return not (step.args or step.keywords)
    return scheduler.name in SAME_RATES


def train(statements: Sequence[ast.stmt], facts: Facts) -> bool:
    """Whether statements train; the steps of schedulers do not count."""
    return any(
        trains([node], facts)
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and not is_scheduler_step(node, facts)
    )


def is_scheduler(node: ast.AST, facts: Facts) -> bool:
    """Whether a node uses a scheduler of torch."""
    return is_loaded(node) and isinstance(facts.value(node), Scheduler)


def reads_rate(node: ast.AST, facts: Facts) -> bool:
    """Whether a node is an optimizer or a scheduler that is used for more than ``zero_grad()``."""
    if not is_loaded(node) or not isinstance(facts.value(node), (Optimizer, Scheduler)):
        return False
    parent = facts.parent(node)
    return not (isinstance(parent, ast.Attribute) and parent.attr == "zero_grad")


def is_loaded(node: ast.AST) -> TypeGuard[ast.Name | ast.Attribute]:
    """Whether a node is a name or an attribute that is read."""
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)


def resumes(node: ast.AST, facts: Facts) -> bool:
    """Whether a call builds a scheduler that goes on from a certain epoch, or restores one."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr == "load_state_dict":
        return isinstance(facts.value(node.func.value), Scheduler)
    name = facts.name(node.func) or ""
    if name not in SAME_RATES:
        return False
    return len(node.args) > _ABOVE_LAST_EPOCH.get(name, 3) or any(
        k.arg in ("last_epoch", None) for k in node.keywords
    )


def rates_asked(step: ast.Call, statements: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    """The calls of ``get_lr()`` in some statements, of the scheduler that a step is of."""
    assert isinstance(step.func, ast.Attribute)
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "get_lr":
                    if ast.dump(node.func.value) == ast.dump(step.func.value):
                        yield node
