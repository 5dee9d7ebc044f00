"""Where the mode of a model is wrong: inference in training mode, training in evaluation mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, LOOPS, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import may_meet
from torchfix_codemods.facts.programs.models import Model
from torchfix_codemods.facts.recording.gradients import is_under_no_grad, no_grad_blocks
from torchfix_codemods.facts.values.lattice import Loader, NoneValue, Number
from torchfix_codemods.record import record
from torchfix_codemods.rules.training.questions.project_calls import passed
from torchfix_codemods.rules.training.questions.steps import Step, roots, steps_in


@record
class Reset:
    """A training part that needs ``model.train()`` in front of it."""

    place: ast.stmt
    """The statement before which the line goes."""
    model: str
    """How the model is written there."""


# Training after evaluation


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
"""Statements before which a line runs as often as they do."""


class Unclear(Exception):
    """A training part follows an evaluation, and where ``train()`` should go is not certain."""


def missing_resets(
    facts: Facts, model: Model, steps: list[Step], infers: frozenset[ast.AST] = frozenset()
) -> list[Reset]:
    """The training parts that an evaluation leaves in evaluation mode.

    Args:
        facts: the facts of the module.
        model: the model.
        steps: the steps of one root.
        infers: runs of the model that are about to be put into evaluation mode.

    Raises:
        Unclear: there is such a part, but no certain place for the line.
    """
    found = _missing(facts, model, steps, False, infers)
    return list({reset.place: reset for reset in found}.values())


def _missing(
    facts: Facts, model: Model, steps: list[Step], is_loop: bool, infers: frozenset[ast.AST]
) -> Iterator[Reset]:
    items = _expanded(steps, infers)
    for item in items:
        if item.kind == "loop" and item.trains() and _evaluates(item, infers):
            yield from _missing(facts, model, item.children, True, infers)
    flat = [i for i in items if not (i.kind == "loop" and i.trains() and _evaluates(i, infers))]
    trainings = [i for i in flat if i.trains()]
    in_place = {item.kind for item in flat if item.facts is facts}
    if not trainings and is_loop and {"run", "backward", "step"} <= in_place:
        everything = [step for item in flat for step in item.all()]
        if any(_evaluates(i, infers) for i in flat) and not any(map(_may_train, everything)):
            raise Unclear
    for training in trainings:
        is_here = training.facts is facts or _use_in(facts, model, training) is not None
        # What stands in another file is found there.
        if is_here and _is_left_in_evaluation(flat, training, is_loop, infers):
            yield _reset(facts, model, training, flat)


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
    if any(map(_may_train, training.all())):
        return False
    index = flat.index(training)
    before = flat[:index][::-1] + (flat[index + 1 :][::-1] if is_loop else [])
    has_run = False
    for item in before:
        for step in reversed(list(item.all())):
            if _may_train(step):
                return False
            if step.node in infers:
                return True
            if step.kind == "run" and not item.trains():
                has_run = True
            if step.kind == "eval":
                # eval() right before the training is meant: frozen batch statistics.
                return has_run
    return False


def _may_train(step: Step) -> bool:
    return step.kind in ("train", "unseen")


def _reset(facts: Facts, model: Model, training: Step, flat: list[Step]) -> Reset:
    use = _use_in(facts, model, training)
    if use is None:
        raise Unclear
    owner = facts.names.enclosing_function(use)
    if training.kind == "call" and use in walk(training.node):
        place = facts.statement(training.node)
        if not isinstance(place, SIMPLE):
            raise Unclear
    elif training.kind == "call":
        if owner is None or owner is not training.function:
            raise Unclear
        place = first_statement(owner)
    elif training.facts is facts and isinstance(training.node, ast.stmt):
        if owner is not facts.names.enclosing_function(training.node):
            raise Unclear
        place = training.node
        around = facts.parent(place)
        if isinstance(around, LOOPS) and flat[0] is training:
            place = around.body[0]
    else:
        raise Unclear
    if not is_bound_at(facts, use, place) or not stands_alone(facts, place):
        raise Unclear
    return Reset(place, ast.unparse(use))


def _use_in(facts: Facts, model: Model, training: Step) -> ast.expr | None:
    """How this file writes the model where it is trained: run here, or given to another file."""
    for step in training.all():
        if step.facts is not facts or not isinstance(step.node, ast.Call):
            continue
        if step.kind == "run":
            return model_run(step.node)
        if leaves(step) and step.has("run"):
            return passed(facts, model, step.node)
    return None


def leaves(step: Step) -> bool:
    """Whether a step is the call of a function of another file."""
    return step.kind == "call" and step.children[0].facts is not step.facts


def model_run(run: ast.Call) -> ast.expr:
    """The expression of the model that a call runs."""
    function = run.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        return function.value
    return function


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


@dataclass
class Inference:
    """A part of a program that only infers."""

    model: str
    """How the model is written there."""
    runs: list[ast.AST]
    """The calls that run the model, in whichever file."""


def inference_of(facts: Facts, model: Model) -> dict[ast.stmt, Inference]:
    """The statements before which ``eval()`` is missing if nothing else sets it.

    They are the first statement of each inference function, the loop or ``with`` block of
    inference inside of other code, and the call of a function of another file that infers.
    """
    found: dict[ast.stmt, Inference] = {}
    steps = [step for root in roots(facts, model) for step in _within(root)]
    training = {id(s) for s, loop in steps if loop is not None and _has_direct_backward(loop)}
    trained = {s.node for s, _ in steps if id(s) in training}
    for step in {s.node: s for s, _ in steps}.values():
        if step.facts is not facts or step.node in trained:
            continue
        if step.kind == "run":
            use, place = _place_of_run(facts, model, step.node)
        elif leaves(step) and not any(s.node in trained for s in step.all()):
            use, place = _place_of_call(facts, model, step)
        else:
            continue
        if use is not None and place is not None and stands_alone(facts, place):
            runs = [s.node for s in step.all() if s.kind == "run"]
            found.setdefault(place, Inference(ast.unparse(use), [])).runs.extend(runs)
    return found


_Place = tuple[ast.expr | None, ast.stmt | None]
"""How the model is written, and the statement before which it needs ``eval()``."""


def _place_of_run(facts: Facts, model: Model, run: ast.AST) -> _Place:
    assert isinstance(run, ast.Call)
    if _is_for_statistics(facts, run) or _is_sampled(facts, run):
        return None, None
    return model_run(run), _inference_around(facts, model, run)


def _place_of_call(facts: Facts, model: Model, call: Step) -> _Place:
    """Where a function of another file is called that certainly only infers."""
    runs = [step for step in call.all() if step.kind == "run"]
    function, use = call.function, passed(facts, model, call.node)
    if not runs or use is None or not isinstance(function, ast.FunctionDef) or _learns(call):
        return None, None
    if parameters.call_sites(call.children[0].facts.inference, function):
        # Its own file calls it as well, and is where to look.
        return None, None
    if not all(_infers(step) for step in runs):
        return None, None
    place = facts.statement(call.node)
    return use, place if isinstance(place, SIMPLE) and is_bound_at(facts, use, place) else None


def _infers(run: Step) -> bool:
    assert isinstance(run.node, ast.Call)
    return (
        is_under_no_grad(run.node, run.facts)
        and not _is_for_statistics(run.facts, run.node)
        and not _is_sampled(run.facts, run.node)
    )


def _is_for_statistics(facts: Facts, run: ast.Call) -> bool:
    """Nobody wants the result: BatchNorm is to see the data, or layers initialize by it."""
    above = facts.parent(run)
    if not isinstance(above, ast.Assign):
        return isinstance(above, ast.Expr)
    return all(_is_unread(facts, target) for target in above.targets)


def _is_unread(facts: Facts, target: ast.expr) -> bool:
    """Whether a name of a function is assigned and never read there: ``_ = model(x)``."""
    if not isinstance(target, ast.Name):
        return False
    found = facts.names.scope_of(target).lookup(target.id)
    if found is None or (found[0].kind == "module" and target.id != "_"):
        return False
    return not any(True for _ in facts.names.uses_of(found[0], target.id))


def _is_sampled(facts: Facts, run: ast.Call) -> bool:
    """``[model(x) for _ in range(50)]``: many outputs of one input are wanted to differ."""
    arguments = [*run.args, *(keyword.value for keyword in run.keywords)]
    used = {n.id for a in arguments for n in walk(a) if isinstance(n, ast.Name)}
    for around in facts.names.ancestors(run):
        if isinstance(around, COMPREHENSIONS):
            return all(used.isdisjoint(_bound_in(g.target)) for g in around.generators)
        if isinstance(around, ast.For):
            return used.isdisjoint(_bound_in(around))
        if isinstance(around, _FUNCTIONS):
            return False
    return False


def _bound_in(node: ast.AST) -> set[str]:
    """The names that a loop sets, its own and those of its body."""
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


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
    if function is not None and not any(map(_learns, steps_in(facts, model, body))):
        if not _is_inference(facts, function, run):
            return None
        return _place_in(facts, function, run)
    around = [a for a in facts.names.ancestors(run) if isinstance(a, ast.stmt)]
    own = around[: around.index(function)] if function is not None else around
    statement = None
    for candidate in own:
        if not isinstance(candidate, (*LOOPS, ast.With)):
            continue
        if any(map(_learns, steps_in(facts, model, [candidate]))):
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
    is_over_data = any(
        loop in nodes and _is_over_data(facts, loop) for loop in facts.names.ancestors(run)
    )
    return is_over_data and not any(
        isinstance(n, ast.Return)
        and n.value is not None
        and not isinstance(facts.value(n.value), (Number, NoneValue))
        for n in nodes
    )


def may_infer(facts: Facts) -> set[ast.Call]:
    """The calls around which there is anything at all for which they may be inference."""
    loops = facts.names.nodes.get(ast.For, ()) if _may_have_loaders(facts) else ()
    loops = [loop for loop in loops if _is_over_data(facts, loop)]
    parts = {*loops, *no_grad_blocks(facts), *_parts_with_volatile(facts)}
    return {node for part in parts for node in walk(part) if isinstance(node, ast.Call)}


def _may_have_loaders(facts: Facts) -> bool:
    return "DataLoader" in facts.text or may_meet(facts, "DataLoader")


def _parts_with_volatile(facts: Facts) -> set[ast.AST]:
    """The statements of the module's level with ``volatile=`` anywhere inside."""
    keywords = facts.names.nodes.get(ast.keyword, ()) if "volatile" in facts.text else ()
    return {
        [node, *facts.names.ancestors(node)][-2]
        for node in keywords
        if isinstance(node, ast.keyword) and node.arg == "volatile"
    }


def _is_over_data(facts: Facts, loop: ast.AST) -> bool:
    return isinstance(loop, ast.For) and _is_data(facts, loop.iter)


def _is_data(facts: Facts, iterated: ast.expr) -> bool:
    if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.args:
        if iterated.func.id in ("enumerate", "tqdm"):
            iterated = iterated.args[0]
    return isinstance(facts.value(iterated), Loader)


def _place_in(
    facts: Facts, function: ast.FunctionDef | ast.AsyncFunctionDef, run: ast.Call
) -> ast.stmt | None:
    model = model_run(run)
    first = first_statement(function)
    if is_bound_at(facts, model, first):
        return first
    holding = next(s for s in function.body if run in walk(s))
    return holding if is_bound_at(facts, model, holding) else None
