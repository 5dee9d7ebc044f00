"""In which mode models run: what trains, what infers, which ``train()`` and ``eval()`` reach it.

The code of a module is read as one tree of steps, in the order in which it runs: calls of the
file's own functions are followed. Everything is asked for one model at a time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from torchfix_codemods.facts import parameters
from torchfix_codemods.facts.gradients import is_under_no_grad
from torchfix_codemods.facts.models import Model, model_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import children, walk
from torchfix_codemods.facts.values import (
    Array,
    Foreign,
    Function,
    Instance,
    Loader,
    Method,
    NoneValue,
    Number,
    Scheduler,
    Text,
)

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)

Kind = Literal["train", "eval", "run", "backward", "step", "loop", "call"]


@dataclass(eq=False)
class Step:
    """One thing that happens to a model; loops and calls hold what happens inside of them."""

    kind: Kind
    node: ast.AST
    children: list[Step] = field(default_factory=list)
    function: ast.AST | None = None
    """For calls: the function of this file that is called."""

    def all(self) -> Iterator[Step]:
        """The step and everything inside of it."""
        yield self
        for child in self.children:
            yield from child.all()

    def has(self, *kinds: Kind) -> bool:
        """Whether each of ``kinds`` happens in this step."""
        return set(kinds) <= {step.kind for step in self.all()}

    def trains(self) -> bool:
        """Whether the model is trained in this step."""
        return self.has("run", "backward", "step")


Memo = dict[ast.AST, list[Step]]
"""The steps of the functions that were walked through already."""


@dataclass(frozen=True)
class Reset:
    """A training part that needs ``model.train()`` in front of it."""

    place: ast.stmt
    """The statement before which the line goes."""
    model: str
    """How the model is written there."""


def mode_of(call: ast.Call, facts: Facts) -> Literal["train", "eval"] | None:
    """What ``x.train()``, ``x.train(False)`` and ``x.eval()`` set, if x may be a module."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in ("train", "eval"):
        return None
    if len(call.args) + len(call.keywords) > (1 if function.attr == "train" else 0):
        return None
    if facts.name(function) is not None:
        return None
    receiver = facts.value(function.value)
    if isinstance(receiver, (Instance, Foreign, Text, Array, Number)):
        return None
    if function.attr == "eval":
        return "eval"
    arguments = [*call.args, *(k.value for k in call.keywords)]
    is_off = arguments and isinstance(arguments[0], ast.Constant) and not arguments[0].value
    return "eval" if is_off else "train"


def mode_calls(facts: Facts) -> list[tuple[ast.Call, Literal["train", "eval"]]]:
    """All calls that set a mode, of whatever model."""
    return facts.remembered("mode calls", lambda: _mode_calls(facts))


def _mode_calls(facts: Facts) -> list[tuple[ast.Call, Literal["train", "eval"]]]:
    return [
        (node, mode)
        for node in facts.names.nodes.get(ast.Call, ())
        if isinstance(node, ast.Call) and (mode := mode_of(node, facts)) is not None
    ]


# The steps


def roots(facts: Facts, model: Model) -> Iterator[list[Step]]:
    """The steps of the module's own code, and of each function that nothing here calls."""
    memo: Memo = {}
    yield _block(facts, model, facts.tree.body, memo)
    for cls in _FUNCTIONS:
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, _FUNCTIONS)
            if not parameters.call_sites(facts.inference, node):
                yield _block(facts, model, node.body, memo)


def _block(facts: Facts, model: Model, body: list[ast.stmt], memo: Memo) -> list[Step]:
    return [step for statement in body for step in _steps(facts, model, statement, memo)]


def _steps(facts: Facts, model: Model, node: ast.AST, memo: Memo) -> Iterator[Step]:
    for part in facts.remembered(("calls", node), lambda: list(_calls_and_loops(node))):
        if isinstance(part, ast.Call):
            yield from _steps_of_call(facts, model, part, memo)
        else:
            inside = [s for c in children(part) for s in _steps(facts, model, c, memo)]
            if inside:
                yield Step("loop", part, inside)


def _calls_and_loops(node: ast.AST) -> Iterator[ast.AST]:
    """The calls of a statement in the order in which they run, and its outermost loops."""
    if isinstance(node, _DEFINITIONS):
        return
    if isinstance(node, _LOOPS):
        yield node
        return
    for child in children(node):
        yield from _calls_and_loops(child)
    if isinstance(node, ast.Call):
        yield node


def _steps_of_call(facts: Facts, model: Model, call: ast.Call, memo: Memo) -> Iterator[Step]:
    function = call.func
    mode = mode_of(call, facts)
    if mode is not None and isinstance(function, ast.Attribute):
        if model_of(facts, function.value) == model:
            yield Step(mode, call)
        return
    if isinstance(function, ast.Attribute):
        if function.attr == "forward" and model_of(facts, function.value) == model:
            yield Step("run", call)
            return
        if function.attr == "backward" or facts.name(function) == "torch.autograd.grad":
            yield Step("backward", call)
            return
        if function.attr == "step":
            if not isinstance(facts.value(function.value), (Scheduler, Instance)):
                yield Step("step", call)
            return
    if model_of(facts, function) == model:
        yield Step("run", call)
        return
    called = called_function(facts, call)
    if called is None:
        return
    if called not in memo:
        # A function that calls itself adds nothing to itself.
        memo[called] = []
        memo[called] = _block(facts, model, called.body, memo)
    if memo[called]:
        yield Step("call", call, memo[called], called)


def called_function(facts: Facts, call: ast.Call) -> ast.FunctionDef | None:
    """The function or method of this file that a call runs."""
    callee = facts.value(call.func)
    definition: object = None
    if isinstance(callee, Function):
        definition = callee.definition
    elif isinstance(callee, Method) and isinstance(callee.receiver, Instance):
        definition = facts.classes.method(callee.receiver.definition, callee.name)
    return definition if isinstance(definition, ast.FunctionDef) else None


# Training after evaluation


class Unclear(Exception):
    """A training part follows an evaluation, and where ``train()`` should go is not certain."""


def missing_resets(
    facts: Facts, steps: list[Step], infers: frozenset[ast.AST] = frozenset()
) -> list[Reset]:
    """The training parts that an evaluation leaves in evaluation mode.

    Args:
        facts: the facts of the module.
        steps: the steps of one root.
        infers: runs of the model that are about to be put into evaluation mode.

    Raises:
        Unclear: there is such a part, but no certain place for the line.
    """
    found = _missing(facts, steps, False, infers)
    return list({reset.place: reset for reset in found}.values())


def _missing(
    facts: Facts, steps: list[Step], is_loop: bool, infers: frozenset[ast.AST]
) -> Iterator[Reset]:
    items = _expanded(steps, infers)
    for item in items:
        if item.kind == "loop" and item.trains() and _evaluates(item, infers):
            yield from _missing(facts, item.children, True, infers)
    flat = [i for i in items if not (i.kind == "loop" and i.trains() and _evaluates(i, infers))]
    trainings = [i for i in flat if i.trains()]
    if not trainings and is_loop and {"run", "backward", "step"} <= {i.kind for i in flat}:
        if any(_evaluates(i, infers) for i in flat) and not any(i.kind == "train" for i in flat):
            raise Unclear
    for training in trainings:
        if _is_left_in_evaluation(flat, training, is_loop, infers):
            yield _reset(facts, training, flat)


def _expanded(steps: list[Step], infers: frozenset[ast.AST]) -> list[Step]:
    """The steps, with the calls opened that both train and evaluate."""
    result: list[Step] = []
    for step in steps:
        if step.kind == "call" and step.trains() and _evaluates(step, infers):
            result += _expanded(step.children, infers)
        else:
            result.append(step)
    return result


def _evaluates(step: Step, infers: frozenset[ast.AST]) -> bool:
    return any(s.kind == "eval" or s.node in infers for s in step.all())


def _is_left_in_evaluation(
    flat: list[Step], training: Step, is_loop: bool, infers: frozenset[ast.AST]
) -> bool:
    """Whether the last thing that set the mode before ``training`` was an evaluation."""
    if any(step.kind == "train" for step in training.all()):
        return False
    index = flat.index(training)
    before = flat[:index][::-1] + (flat[index + 1 :][::-1] if is_loop else [])
    has_run = False
    for item in before:
        for step in reversed(list(item.all())):
            if step.kind == "train":
                return False
            if step.node in infers:
                return True
            if step.kind == "run" and not item.trains():
                has_run = True
            if step.kind == "eval":
                # eval() right before the training is meant: frozen batch statistics.
                return has_run
    return False


def _reset(facts: Facts, training: Step, flat: list[Step]) -> Reset:
    run = next(step.node for step in training.all() if step.kind == "run")
    assert isinstance(run, ast.Call)
    function = run.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        function = function.value
    model = ast.unparse(function)
    if training.kind == "call":
        owner = facts.names.enclosing_function(run)
        if owner is None or owner is not training.function:
            raise Unclear
        place = first_statement(owner)
    elif training.kind == "loop" and isinstance(training.node, ast.stmt):
        owner = facts.names.enclosing_function(run)
        if owner is not facts.names.enclosing_function(training.node):
            raise Unclear
        place = training.node
        around = facts.parent(place)
        if isinstance(around, _LOOPS) and flat[0] is training:
            place = around.body[0]
    else:
        raise Unclear
    if not is_bound_at(facts, function, place) or not stands_alone(facts, place):
        raise Unclear
    return Reset(place, model)


def first_statement(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """The first statement of a function that does something."""
    for statement in function.body:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not is_docstring and not isinstance(statement, (ast.Global, ast.Nonlocal)):
            return statement
    return function.body[-1]


def stands_alone(facts: Facts, statement: ast.stmt) -> bool:
    """Whether a line can go above a statement: it does not share its own with another one."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    return facts.lines[first - 1][: statement.col_offset].strip() == "" and not any(
        other is not statement and (other.lineno == last or other.end_lineno == first)
        for other in facts.block(statement)
    )


def is_bound_at(facts: Facts, model: ast.expr, place: ast.stmt) -> bool:
    """Whether the expression of a model means the same before ``place`` as where it stands."""
    root = model
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    found = facts.names.scope_of(root).lookup(root.id)
    here = facts.names.scope_of(place).lookup(root.id)
    if found is None or here is None or found[0] is not here[0]:
        return False
    if found[0] is not facts.names.scope_of(place):
        return True
    return set(facts.flow.reaching_before(place, root.id)) == set(facts.flow.reaching(root))


# Inference


def inference_of(facts: Facts, model: Model) -> dict[ast.stmt, list[ast.Call]]:
    """The statements before which ``eval()`` is missing if nothing else sets it.

    Maps the first statement of each inference function, or the loop or ``with`` block of
    inference inside of other code, to the runs of the model in it.
    """
    found: dict[ast.stmt, list[ast.Call]] = {}
    steps = [step for root in roots(facts, model) for step in _within(root)]
    training = {id(s) for s, loop in steps if loop is not None and _has_direct_backward(loop)}
    for run in {s.node: s for s, _ in steps if s.kind == "run"}:
        assert isinstance(run, ast.Call)
        if any(id(s) in training for s, _ in steps if s.node is run):
            continue
        if isinstance(facts.parent(run), ast.Expr):
            # Nobody wants the result: BatchNorm is to see the data.
            continue
        place = _inference_around(facts, model, run)
        if place is not None and stands_alone(facts, place):
            found.setdefault(place, []).append(run)
    return found


def _within(steps: list[Step], loop: Step | None = None) -> Iterator[tuple[Step, Step | None]]:
    """All steps, each with the innermost loop that runs it."""
    for step in steps:
        yield step, loop
        yield from _within(step.children, step if step.kind == "loop" else loop)


def _has_direct_backward(loop: Step) -> bool:
    """Whether each pass of a loop itself trains, not only a loop inside of it."""
    pending = [*loop.children]
    while pending:
        step = pending.pop()
        if step.kind == "backward":
            return True
        if step.kind == "call":
            pending += step.children
    return False


def _inference_around(facts: Facts, model: Model, run: ast.Call) -> ast.stmt | None:
    function = facts.names.enclosing_function(run)
    body = facts.tree.body if function is None else function.body
    if function is not None and not any(_learns(step) for step in _block(facts, model, body, {})):
        if not _is_inference(facts, function, run):
            return None
        return _place_in(facts, function, run)
    around = [a for a in facts.names.ancestors(run) if isinstance(a, ast.stmt)]
    own = around[: around.index(function)] if function is not None else around
    statement = None
    for candidate in own:
        if not isinstance(candidate, (*_LOOPS, ast.With)):
            continue
        if any(_learns(step) for step in _steps(facts, model, candidate, {})):
            break
        if _is_inference(facts, candidate, run):
            statement = candidate
    if statement is None or not isinstance(run.func, (ast.Name, ast.Attribute)):
        return None
    return statement if is_bound_at(facts, run.func, statement) else None


def _learns(step: Step) -> bool:
    return any(s.kind in ("backward", "step") for s in step.all())


def _is_inference(facts: Facts, block: ast.AST, run: ast.Call) -> bool:
    """Whether what the model computes in ``block`` certainly takes part in no training."""
    if is_under_no_grad(run, facts):
        return True
    nodes = list(walk(block))
    if any(
        isinstance(n, ast.keyword)
        and n.arg == "volatile"
        and isinstance(n.value, ast.Constant)
        and n.value.value
        for n in nodes
    ):
        return True
    loops = [a for a in facts.names.ancestors(run) if isinstance(a, ast.For)]
    is_over_data = any(_is_data(facts, loop.iter) for loop in loops if loop in nodes)
    return is_over_data and not any(
        isinstance(n, ast.Return)
        and n.value is not None
        and not isinstance(facts.value(n.value), (Number, NoneValue))
        for n in nodes
    )


def _is_data(facts: Facts, iterated: ast.expr) -> bool:
    if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.args:
        if iterated.func.id in ("enumerate", "tqdm"):
            iterated = iterated.args[0]
    return isinstance(facts.value(iterated), Loader)


def _place_in(
    facts: Facts, function: ast.FunctionDef | ast.AsyncFunctionDef, run: ast.Call
) -> ast.stmt | None:
    model = run.func
    if isinstance(model, ast.Attribute) and model.attr == "forward":
        model = model.value
    first = first_statement(function)
    if is_bound_at(facts, model, first):
        return first
    holding = next(s for s in function.body if run in walk(s))
    return holding if is_bound_at(facts, model, holding) else None
