"""The uses of a tensor in the statements that follow one, which run wherever that one does."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.losses.questions.tested_dimensions import is_same

_PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Try)


def uses_next(facts: Facts, call: ast.expr) -> Iterator[ast.Name]:
    """The uses of the name that a call is assigned to, in the statements that follow it."""
    for use, others in _uses_of_result(facts, call):
        if not others:
            yield use


def uses_by_choice(facts: Facts, call: ast.expr) -> Iterator[tuple[ast.Name, list[ast.Name]]]:
    """The uses where one ``if`` before them may have bound the name of a call anew.

    Each comes with the uses of the call's result that run where the ``if`` does:
    ``if mask: p = p * mask``.
    """
    for use, others in _uses_of_result(facts, call):
        choices = {facts.parent(statement) for statement in others}
        choice = choices.pop() if len(choices) == 1 else None
        if isinstance(choice, ast.If) and not choice.orelse:
            block = [*itertools.takewhile(_goes_on, choice.body)]
            result = facts.flow.reaching(use)
            yield (
                use,
                [
                    name
                    for name in facts.names.scope_of(use).uses.get(use.id, ())
                    if facts.statement(name) in block
                    and facts.inference.branches.runs_with(name, facts.statement(name))
                    and (bound := facts.flow.reaching(name))
                    and len(bound) == 1
                    and bound[0] in result
                    and bound[0].node not in others
                ],
            )


def _uses_of_result(facts: Facts, call: ast.expr) -> Iterator[tuple[ast.Name, set[ast.AST]]]:
    """The uses that a call's result reaches, and what binds its name anew on a way to them."""
    target, statement = _name_of(facts, call), facts.parent(call)
    if target is None or not isinstance(statement, ast.Assign):
        return
    below = [*_run_next(facts, statement)]
    for use in uses_below(facts, target, call):
        reaching = facts.flow.reaching(use)
        if any(binding.node is statement and not binding.path for binding in reaching):
            between = set(below[: below.index(facts.statement(use))])
            bound = {binding.node for binding in reaching if binding.node is not statement}
            yield use, {node for node in bound if _lies_in(facts, node, between)}


def _lies_in(facts: Facts, node: ast.AST, statements: set[ast.stmt]) -> bool:
    return node in statements or any(above in statements for above in facts.names.ancestors(node))


def _name_of(facts: Facts, call: ast.expr) -> ast.Name | None:
    """The name that a call alone is assigned to."""
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target if isinstance(target, ast.Name) else None


def parts_next(facts: Facts, call: ast.expr) -> Iterator[tuple[int, ast.Name]]:
    """The same of the names that get a part each of what a call gives: ``_, i = x.topk(k)``.

    Each comes with the place of its part.
    """
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    targets = getattr(statement.targets[0], "elts", ())
    for target in targets:
        for use in uses_below(facts, target, call) if isinstance(target, ast.Name) else ():
            reaching = facts.flow.reaching(use)
            if len(reaching) == 1 and reaching[0].node is statement:
                yield from ((place, use) for place in reaching[0].path if isinstance(place, int))


def uses_below(facts: Facts, name: ast.Name, node: ast.expr) -> Iterator[ast.Name]:
    """The uses of a name that run wherever a node does, in the statements that follow it.

    Args:
        facts: the facts of the module.
        name: the name, which may be bound anew between the two.
        node: what runs first.
    """
    reached = set(_run_next(facts, facts.statement(node)))
    for use in facts.names.scope_of(name).uses.get(name.id, ()):
        if facts.statement(use) in reached and facts.inference.branches.runs_with(use, node):
            if not may_be_reshaped(facts.inference, use):
                yield use


def uses_beside(facts: Facts, name: ast.Name) -> Iterator[ast.Name]:
    """The other uses of what a name holds that run wherever one of them does: above it, below it
    and in its own statement.

    Args:
        facts: the facts of the module.
        name: the use.
    """
    for use in facts.names.scope_of(name).uses.get(name.id, ()):
        is_beside = facts.statement(use) is facts.statement(name) and use is not name
        is_before = use.lineno < name.lineno or is_beside
        if is_before and facts.inference.branches.runs_with(use, name):
            if is_same(facts, use, name):
                yield use
    for use in uses_below(facts, name, name):
        if is_same(facts, name, use):
            yield use


def _run_next(facts: Facts, statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements that follow one, behind the ``with`` or ``if`` that it ends in, too."""
    if isinstance(statement, (*_PLAIN, ast.With)):
        yield from _run_below(facts, statement)


def _run_below(facts: Facts, statement: ast.stmt) -> Iterator[ast.stmt]:
    block = facts.block(statement)
    below = block[block.index(statement) + 1 :]
    yield from itertools.takewhile(_goes_on, below)
    around = facts.parent(statement)
    if isinstance(around, (ast.With, ast.If)) and all(map(_goes_on, below)):
        yield from _run_below(facts, around)


def _goes_on(statement: ast.stmt) -> bool:
    """Whether nothing but the statement below can come next."""
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.With)):
        return not any(isinstance(part, _JUMPS) for part in ast.walk(statement))
    return isinstance(statement, _PLAIN)
