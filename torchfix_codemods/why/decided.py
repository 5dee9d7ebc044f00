"""The conditions that decided which way a function went, evaluated again as they were then."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.why.watched import Run

_MOST_TURNS = 200


class CannotEvaluateError(Exception):
    """An expression has no value any more."""


@record
class Scene:
    """What surrounded an expression when it was evaluated."""

    run: Run
    index: int
    """The step that the expression belongs to."""
    bound: tuple[tuple[str, Any], ...] = ()
    """What a comprehension or a lambda around the expression binds."""

    def value(self, node: ast.expr) -> Any:
        """The value of an expression.

        Raises:
            CannotEvaluateError: it raises today.
        """
        names = {**self.run.surroundings, **self.run.steps[self.index].names, **dict(self.bound)}
        if "__class__" in names and "self" in names:
            # Without arguments it only works where it is written.
            names["super"] = functools.partial(super, names["__class__"], names["self"])
        try:
            return eval(compile(ast.Expression(node), "<condition>", "eval"), names)
        except Exception as error:
            raise CannotEvaluateError(str(error)) from error

    def definition(self, name: str) -> tuple[ast.expr, Scene] | None:
        """What a local name was last assigned, or taken from; None for all else."""
        if any(name == bound for bound, _ in self.bound):
            return None
        for index in range(self.index - 1, -1, -1):
            statement = self.run.steps[index].statement
            source = _source(statement, name)
            if source is not None:
                return source, Scene(self.run, index)
        return None

    def binding(self, name: str, value: Any) -> Scene:
        """The same scene inside of what binds a name."""
        return replace(self, bound=(*self.bound, (name, value)))


@record
class Decision:
    """An expression that decided, and where it was evaluated."""

    node: ast.expr
    scene: Scene


def decisions(run: Run) -> list[Decision]:
    """What decided that a function ended as it did; for a loop, what decided in each turn."""
    return list(_decisions(run, 0, len(run.steps)))


def _decisions(run: Run, start: int, end: int) -> Iterator[Decision]:
    for index in range(end - 1, start - 1, -1):
        statement = run.steps[index].statement
        scene = Scene(run, index)
        if isinstance(statement, ast.Return) and not _is_plain(statement.value):
            assert statement.value is not None
            yield from _operands(statement.value, scene)
            return
        if isinstance(statement, (ast.If, ast.While)):
            yield from _operands(statement.test, scene)
            return
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            yield from _in_turns(run, start, index, statement)
            return
        if isinstance(statement, ast.Expr):
            inner = statement.value
            if isinstance(inner, (ast.YieldFrom, ast.Await)):
                inner = inner.value
            if isinstance(inner, ast.Call):
                yield Decision(inner, scene)
                return


def _is_plain(value: ast.expr | None) -> bool:
    return value is None or isinstance(value, ast.Constant)


def _in_turns(run: Run, start: int, end: int, loop: ast.For | ast.AsyncFor) -> Iterator[Decision]:
    """What decided in each turn of a loop that has come to its end."""
    heads = [i for i in range(start, end + 1) if run.steps[i].statement is loop]
    turns = [(a + 1, b) for a, b in itertools.pairwise(heads) if b > a + 1]
    if not turns:
        yield Decision(loop.iter, Scene(run, end))
    for first, last in turns[:_MOST_TURNS]:
        yield from _decisions(run, first, last)


def _operands(node: ast.expr, scene: Scene) -> Iterator[Decision]:
    """The parts of a condition that made it true or false."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _operands(node.operand, scene)
    elif isinstance(node, ast.BoolOp):
        yield from _of_several(node, scene)
    elif isinstance(node, ast.IfExp):
        test = _is_true(node.test, scene)
        yield from _operands(node.test, scene)
        if test is not None:
            yield from _operands(node.body if test else node.orelse, scene)
    elif (found := _quantified(node, scene)) is not None:
        yield from found
    else:
        yield Decision(node, scene)


def _of_several(node: ast.BoolOp, scene: Scene) -> Iterator[Decision]:
    ends_by = isinstance(node.op, ast.Or)
    truths = []
    for operand in node.values:
        truths.append(_is_true(operand, scene))
        if truths[-1] is ends_by:
            yield from _operands(operand, scene)
            return
    if None not in truths:
        for operand in node.values:
            yield from _operands(operand, scene)


def _is_true(node: ast.expr, scene: Scene) -> bool | None:
    try:
        return bool(scene.value(node))
    except CannotEvaluateError:
        return None


def _quantified(node: ast.expr, scene: Scene) -> list[Decision] | None:
    """What decided ``any(… for …)`` and ``all(… for …)``; None for all else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1):
        return None
    generator = node.args[0]
    if node.func.id not in ("any", "all") or not isinstance(generator, ast.GeneratorExp):
        return None
    clause = generator.generators[0]
    if len(generator.generators) > 1 or not isinstance(clause.target, ast.Name):
        return None
    ends_by = node.func.id == "any"
    found: list[Decision] = []
    try:
        items = list(scene.value(clause.iter))[:_MOST_TURNS]
    except (CannotEvaluateError, TypeError):
        return None
    for item in items:
        inner = scene.binding(clause.target.id, item)
        if not all(_is_true(test, inner) for test in clause.ifs):
            continue
        decided = list(_operands(generator.elt, inner))
        if _is_true(generator.elt, inner) is ends_by:
            return decided
        found += decided
    return found or [Decision(clause.iter, scene)]


def _source(statement: ast.stmt, name: str) -> ast.expr | None:
    targets: Sequence[ast.expr] = ()
    value: ast.expr | None = None
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets, value = [statement.target], statement.value
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        targets, value = [statement.target], statement.iter
    for target in targets:
        if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(target)):
            return value
    return None
