"""A scheduler that steps before the optimizer skips its first rate since torch 1.1."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import called_function, trains
from torchfix_codemods.facts.values.lattice import Optimizer, Scheduler, Unknown, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.training.questions.given_epochs import counted
from torchfix_codemods.rules.training.questions.given_functions import value_by_given_functions
from torchfix_codemods.text.wording import worded

#: Schedules of torch 1.0 whose rates are the same today, one step later.
_SAME_RATES = frozenset(
    f"torch.optim.lr_scheduler.{name}"
    for name in "LambdaLR StepLR MultiStepLR ExponentialLR CosineAnnealingLR".split()
)

_LATER = (
    "until torch 1.0 the first step() set the first rate once more, so that each rate came one "
    "step later than today"
)
_WITHOUT_FIRST = "leave the first step() out where these numbers count"

_BASES = ("torch.optim.lr_scheduler._LRScheduler", "torch.optim.lr_scheduler.LRScheduler")

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class SchedulerOrder(Rule):
    """
    ## What it does
    Moves `scheduler.step()` from the top of the epoch to its end, below the steps of the optimizer,
    in files that were written for torch 1.0 or older. `scheduler.get_lr()` of such an epoch becomes
    `get_last_lr()`. In such a file a finding tells of a `step()` that already stands at the end.

    ## Why
    Until torch 1.0 the first `step()` set the rate of epoch 0; since 1.1 the constructor does that,
    and a `step()` at the top makes epoch 0 train with the rate of epoch 1: all rates come one epoch
    too early, and the first one is never used. At the end of the epoch the first `step()` of torch
    1.0 gave epoch 1 the first rate, too: all later rates come one epoch earlier today. `get_lr()`
    is now meant for the scheduler itself and gives a wrong rate in epochs that change it.

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
    In files that may be younger, where a finding names the line that `step()` belongs below. So it
    does where an epoch can end early by `continue`, where code outside of the loop reads the
    optimizer or the scheduler (it would see the rate of the next epoch), where the scheduler is
    saved or asked for more than its rate, and for `step(epoch)`, which still sets the rate of that
    epoch: `step()` does so only where the epochs begin at 0 and grow by 1 with each call.
    `ReduceLROnPlateau` and schedules that came with torch 1.1 are not touched.

    ## References
    - https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    - https://github.com/pytorch/pytorch/releases/tag/v1.1.0
    """

    code = "TP603"
    name = "scheduler-order"
    since = "1.4"
    numerics = Numerics.PINNED
    words = frozenset({"step"})
    message = "since torch 1.1 this step would set the rate of the next epoch: it goes to the end"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        place = _place(call, facts)
        if is_version_checked(facts, call):
            return
        if place is None:
            # What this rule moved there keeps its rates.
            is_old = facts.era_of(call).before((1, 1)) and not _may_be_moved(call, facts)
            if is_old and _is_below_training(call, facts):
                is_resumed = any(_is_resumed(n, facts) for n in facts.names.nodes.get(ast.Call, ()))
                yield self.advice(call, _LATER if is_resumed else f"{_LATER}: {_WITHOUT_FIRST}")
            return
        last = _last_of_epoch(place, facts)
        below = facts.origin(last.end_lineno or last.lineno)
        text = ast.unparse(call.func)
        if call.args or call.keywords:
            yield self.advice(call, _instead_of_epoch(call, below, facts))
        elif (
            not facts.era_of(call).before((1, 1))
            or _kind(call, facts) is None
            or not _can_move(call, place, facts)
        ):
            yield self.advice(
                call,
                "since torch 1.1 the first epoch trains with the second learning rate if this "
                f"comes before the optimizer's steps: write {text}() after line {below}",
            )
        else:
            group = f"step in line {call.lineno}"
            yield self.found(call, group=group, region=place.owner, place=place)
            for rate in _rates(call, place, facts):
                yield self.found(
                    rate, "get_lr() is for schedulers themselves: get_last_lr()", group=group
                )

    def leave_For(self, original: cst.For, updated: cst.For) -> cst.For:
        return updated.with_changes(body=_with_step_at_end(updated.body, self.data["place"]))

    def leave_While(self, original: cst.While, updated: cst.While) -> cst.While:
        return updated.with_changes(body=_with_step_at_end(updated.body, self.data["place"]))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        return updated.with_changes(func=updated.func.with_changes(attr=cst.Name("get_last_lr")))


@record
class _Place:
    """Where a step stands: at the top of a loop, or of a function, that trains below it."""

    owner: ast.stmt
    block: list[ast.stmt]
    """The body of ``owner``."""
    index: int
    """The statement of it that is or holds the step."""
    line: str
    """What to write at the end, where the step leaves an ``if`` with other statements behind."""


def _instead_of_epoch(call: ast.Call, below: int, facts: Facts) -> str:
    """What to write for ``scheduler.step(epoch)``: without an epoch, steps count from 0."""
    epoch = worded(call.args[0] if call.args else call.keywords[0].value, "what it is given")
    now = counted(call, facts)
    if now is not None and now.first not in (0, None):
        return f"step(epoch) is deprecated, but keep it: {epoch} begins at {now.first}, step() at 0"
    condition = "" if now is not None and now.first == 0 else f", if {epoch} begins at 0"
    if now is None:
        condition += " and grows by 1 with each call; else keep it"
    return (
        f"step(epoch) is deprecated: write {ast.unparse(call.func)}() below the optimizer's steps, "
        f"after line {below}{condition}"
    )


def _last_of_epoch(place: _Place, facts: Facts) -> ast.stmt:
    """The statement that a step belongs below: of a function, the last one that trains."""
    if isinstance(place.owner, _LOOPS):
        return place.block[-1]
    below = place.block[place.index :]
    return next(statement for statement in reversed(below) if _train([statement], facts))


def _is_step(node: ast.AST, facts: Facts) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "step"
        and isinstance(facts.value(node.func.value), Scheduler)
    )


def _kind(step: ast.Call, facts: Facts) -> str | None:
    """The class of the scheduler that steps, where it is just one."""
    assert isinstance(step.func, ast.Attribute)
    scheduler = facts.value(step.func.value)
    return scheduler.name if isinstance(scheduler, Scheduler) else None


def _place(call: ast.Call, facts: Facts) -> _Place | None:
    """The place of a step that comes before all training of an epoch."""
    statement = facts.parent(call)
    if not _is_step(call, facts) or not isinstance(statement, ast.Expr):
        return None
    assert isinstance(call.func, ast.Attribute)
    scheduler = facts.value(call.func.value)
    if not isinstance(scheduler, Scheduler) or not _is_by_epochs(scheduler, call):
        return None
    line = ""
    owner = facts.parent(statement)
    if isinstance(owner, ast.If):
        if statement is not owner.body[0] or isinstance(facts.parent(owner), ast.If):
            return None
        if len(owner.body) > 1 or owner.orelse:
            line = f"if {facts.segment(owner.test)}:\n    {ast.unparse(statement)}"
        statement, owner = owner, facts.parent(owner)
        if not isinstance(owner, _LOOPS) or not _is_as_often_at_end(statement, owner, facts):
            return None
    if not isinstance(owner, (*_LOOPS, ast.FunctionDef)) or statement not in owner.body:
        return None
    index = owner.body.index(statement)
    if _train(owner.body[:index], facts) or not _train(owner.body[index:], facts):
        return None
    return _Place(owner, owner.body, index, line)


def _may_be_moved(step: ast.Call, facts: Facts) -> bool:
    """Whether a step may stand in another place than before it was rewritten.

    Something else may have been rewritten in its line: ``scheduler.step(); print(get_lr())``.
    """
    if not facts.is_rewritten(step.lineno):
        return False
    is_of_earlier_run = facts.origin(step.lineno) in facts.ages.kept.written
    stood_there = rf"(?<![\w.]){re.escape(facts.segment(step))}"
    return is_of_earlier_run or re.search(stood_there, facts.as_read(step.lineno)) is None


def _is_below_training(call: ast.Call, facts: Facts) -> bool:
    """Whether a scheduler of torch 1.0 steps in a loop, after what trains in it."""
    if call.args or call.keywords or not isinstance(call.func, ast.Attribute):
        return False
    scheduler = _scheduler_of(call.func.value, facts)
    is_of_torch = isinstance(scheduler, Scheduler) and _is_by_epochs(scheduler, call)
    if call.func.attr != "step" or not (is_of_torch or _is_own(call.func.value, facts)):
        return False
    statement = facts.parent(call)
    owner = None if statement is None else facts.parent(statement)
    while isinstance(owner, ast.If):
        statement, owner = owner, facts.parent(owner)
    if not isinstance(owner, _LOOPS) or statement not in owner.body:
        return False
    index = owner.body.index(statement)
    steps = (node for node in ast.walk(owner) if ast.dump(node) == ast.dump(call))
    is_last = not _train(owner.body[index + 1 :], facts) and len([*steps]) == 1
    return is_last and _train(owner.body[:index], facts)


def _scheduler_of(node: ast.expr, facts: Facts) -> Value:
    """The value of ``scheduler``, also where a function that was given makes it of an optimizer."""
    value = facts.value(node)
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    if not isinstance(value, Unknown) or made is None or len(made) != 1:
        return value
    return value_by_given_functions(made[0], facts) if isinstance(made[0], ast.Call) else value


def _is_own(scheduler: ast.expr, facts: Facts) -> bool:
    """Whether a scheduler is of a class of the file, which says no more than its rates."""
    made = facts.assigned(scheduler) if isinstance(scheduler, ast.Name) else None
    return bool(made) and all(
        isinstance(call, ast.Call) and _is_of_own_class(call.func, facts) for call in made or ()
    )


def _is_of_own_class(name: ast.expr, facts: Facts) -> bool:
    return any(
        isinstance(made, ast.ClassDef)
        and isinstance(name, ast.Name)
        and made.name == name.id
        and not {facts.name(base) for base in made.bases}.isdisjoint(_BASES)
        and not any(getattr(part, "name", "") == "step" for part in made.body)
        for made in facts.names.nodes.get(ast.ClassDef, ())
    )


def _is_by_epochs(scheduler: Scheduler, step: ast.Call) -> bool:
    """Whether a step sets the rate of an epoch, and nothing else decides it.

    One of several kinds is one that does: ``ReduceLROnPlateau`` takes the loss.
    """
    if scheduler.name is None:
        return not (step.args or step.keywords)
    return scheduler.name in _SAME_RATES


def _train(statements: Sequence[ast.stmt], facts: Facts) -> bool:
    """Whether statements train; the steps of schedulers do not count."""
    return any(
        trains([node], facts)
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and not _is_step(node, facts)
    )


def _can_move(call: ast.Call, place: _Place, facts: Facts) -> bool:
    """Whether all that runs sees the same rates when the step is made at the end of the loop."""
    loop, above = place.owner, place.block[: place.index]
    if not isinstance(loop, _LOOPS) or loop.orelse or _skips_end(loop):
        return False
    if any(
        _reads(node, facts) or _runs_project(node, facts) for s in above for node in ast.walk(s)
    ):
        return False
    if any(_is_resumed(node, facts) for node in facts.names.nodes.get(ast.Call, ())):
        return False
    inside = set(ast.walk(loop))
    if sum(ast.dump(node) == ast.dump(call) for node in inside) > 1:
        return False
    if not all(_is_plain_use(node, facts) for node in inside if _is_scheduler(node, facts)):
        return False
    if any(_sees_end(node, loop, facts) for node in _around(loop, facts) - inside):
        return False
    return _stays_inside(inside, loop, facts)


def _skips_end(loop: ast.stmt) -> bool:
    """Whether a ``continue`` of this very loop jumps over its last line."""
    pending: list[ast.AST] = list(ast.iter_child_nodes(loop))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Continue):
            return True
        if not isinstance(node, (*_LOOPS, *_FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))
    return False


def _is_as_often_at_end(held: ast.If, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a step under ``if`` is made in just those rounds in which optimizers step."""
    assert isinstance(loop, _LOOPS)
    if not _is_steady(held.test, loop):
        return False
    below = loop.body[loop.body.index(held) + 1 :] if held in loop.body else []
    if len(held.body) > 1 or held.orelse:
        return len(held.body) > 1 and _steps_under(held.test, below, facts)
    return _is_flag(held.test)


def _is_steady(test: ast.expr, loop: ast.stmt) -> bool:
    """Whether a test gives the same at the end of the loop's body as at its start."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    if not all(
        isinstance(node, (ast.Name, ast.Constant, ast.Compare, ast.cmpop, ast.expr_context))
        for node in ast.walk(test)
    ):
        return False
    assert isinstance(loop, _LOOPS)
    return not any(
        isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load)
        for statement in loop.body
        for node in ast.walk(statement)
    )


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
            if not is_use and not _reads(node, facts):
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


def _is_scheduler(node: ast.AST, facts: Facts) -> bool:
    return _is_loaded(node) and isinstance(facts.value(node), Scheduler)


def _reads(node: ast.AST, facts: Facts) -> bool:
    """Whether a node is an optimizer or a scheduler that is used for more than ``zero_grad()``."""
    if not _is_loaded(node) or not isinstance(facts.value(node), (Optimizer, Scheduler)):
        return False
    parent = facts.parent(node)
    return not (isinstance(parent, ast.Attribute) and parent.attr == "zero_grad")


def _is_loaded(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)


def _runs_project(node: ast.AST, facts: Facts) -> bool:
    return isinstance(node, ast.Call) and called_function(node, facts) is not None


def _is_resumed(node: ast.AST, facts: Facts) -> bool:
    """Whether a call builds a scheduler that goes on from a certain epoch, or restores one."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr == "load_state_dict":
        return isinstance(facts.value(node.func.value), Scheduler)
    if (facts.name(node.func) or "") not in _SAME_RATES:
        return False
    return len(node.args) > 3 or any(k.arg in ("last_epoch", None) for k in node.keywords)


def _is_plain_use(node: ast.AST, facts: Facts) -> bool:
    """``scheduler.step()``, ``scheduler.get_lr()``, ``scheduler is not None``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Attribute):
        call = facts.parent(parent)
        is_called = isinstance(call, ast.Call) and call.func is parent and not call.args
        return is_called and parent.attr in ("step", "get_lr", "get_last_lr")
    return isinstance(parent, (ast.Compare, ast.If))


def _around(loop: ast.stmt, facts: Facts) -> set[ast.AST]:
    """The nodes of the function, or of the module level, that a loop stands in."""
    function = facts.names.enclosing_function(loop)
    return set(own_nodes(facts.tree if function is None else function))


def _sees_end(node: ast.AST, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a node outside of a loop may find the rate that the last step has set."""
    if not _reads(node, facts) and not _runs_project(node, facts):
        return False
    if isinstance(node, ast.Call) and not _may_know_rate(node, facts):
        return False
    line = getattr(node, "lineno", 0)
    if line > (loop.end_lineno or 0):
        return not _is_made_after(node, loop, facts)
    around = set(facts.names.ancestors(loop))
    return any(isinstance(p, _LOOPS) and p in around for p in facts.names.ancestors(node))


def _is_made_after(node: ast.AST, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a name stands for what was made after a loop: the next optimizer, or scheduler."""
    if not isinstance(node, ast.Name):
        return False
    made = [getattr(binding.node, "lineno", 0) for binding in facts.flow.reaching(node)]
    return bool(made) and min(made) > (loop.end_lineno or 0)


def _stays_inside(inside: set[ast.AST], loop: ast.stmt, facts: Facts) -> bool:
    """Whether nothing that outlives the function around a loop shows the last rate."""
    function = facts.names.enclosing_function(loop)
    if function is None:
        return True
    parameters = set()
    for node in inside:
        if not _is_loaded(node) or not isinstance(facts.value(node), (Optimizer, Scheduler)):
            continue
        found = facts.names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        if found is None or found[0] is not facts.names.scopes.get(function):
            return False
        if any(binding.kind == "parameter" for binding in found[1]):
            parameters.add(found[1][0].name)
    return not parameters or _is_last_use(function, facts)


def _is_last_use(function: ast.AST, facts: Facts) -> bool:
    """Whether nobody uses what a function was given to train with after its calls."""
    if not isinstance(function, ast.FunctionDef) or facts.is_used_elsewhere(function.name):
        return False
    holder = facts.names.scope_of(function)
    for use in facts.names.uses_of(holder, function.name):
        call = facts.parent(use)
        if not isinstance(call, ast.Call) or call.func is not use:
            return False
        if any(isinstance(p, _LOOPS) for p in facts.names.ancestors(call)):
            return False
        given = values_given(call)
        for name in (a for a in given if isinstance(facts.value(a), (Optimizer, Scheduler))):
            if not isinstance(name, ast.Name):
                return False
            bindings = set(facts.flow.reaching(name))
            scope = facts.names.scope_of(name).lookup(name.id)
            for later in facts.names.uses_of(scope[0], name.id) if scope else ():
                if later.lineno > (call.end_lineno or 0):
                    if bindings & set(facts.flow.reaching(later)):
                        return False
    return True


def _may_know_rate(call: ast.Call, facts: Facts) -> bool:
    """Whether a function of the file trains, or uses an optimizer or a scheduler."""
    function = called_function(call, facts)
    return function is None or any(
        _reads(node, facts) or (isinstance(node, ast.Call) and trains([node], facts))
        for node in ast.walk(function)
    )


def _rates(step: ast.Call, place: _Place, facts: Facts) -> Iterator[ast.Call]:
    """The calls of ``get_lr()`` of the scheduler in a loop, below its step."""
    assert isinstance(step.func, ast.Attribute)
    for statement in place.block[place.index :]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "get_lr":
                    if ast.dump(node.func.value) == ast.dump(step.func.value):
                        yield node


def _with_step_at_end(block: cst.BaseSuite, place: _Place) -> cst.BaseSuite:
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
