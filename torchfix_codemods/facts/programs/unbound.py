"""Names that nothing binds, so that what asks for them raises on every torch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.failing_imports import sets_names

#: Names that Python 2 had, or that what runs a file adds to Python's own.
_OF_OTHERS = frozenset(
    "buffer coerce intern StandardError WindowsError "
    "_ display get_ipython profile dbutils spark sc".split()
)


def asks_unbound(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement asks for such a name whenever it runs."""
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and _is_unbound(node, facts)
        for node in evaluated(statement)
    )


def comes_to_unbound(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a function asks for such a name before it can return."""
    for statement in function.body:
        if asks_unbound(statement, facts):
            return True
        if any(isinstance(node, ast.Return) for node in walk(statement)):
            return False
    return False


def may_set_names(facts: Facts) -> bool:
    """Whether a file may set names by what is no statement that binds them."""
    return facts.remembered("sets names", lambda: sets_names(facts.names))


def evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions that a statement evaluates whenever it runs, with all their parts."""
    for expression in _first_evaluated(statement):
        yield from _evaluated(expression)


def _first_evaluated(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
        if statement.value is not None:
            yield statement.value
    elif isinstance(statement, (ast.If, ast.While, ast.Assert)):
        yield statement.test
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        yield statement.iter
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        yield statement.items[0].context_expr


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated whenever it is."""
    yield node
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.BoolOp):
        parts = node.values[:1]
    elif isinstance(node, ast.IfExp):
        parts = [node.test]
    elif isinstance(node, ast.Compare):
        parts = [node.left, node.comparators[0]]
    elif isinstance(node, COMPREHENSIONS):
        parts = [node.generators[0].iter]
    elif isinstance(node, ast.Lambda):
        parts = ()
    for part in parts:
        yield from _evaluated(part)


def _is_unbound(node: ast.Name, facts: Facts) -> bool:
    """Whether a name is one that nothing binds, in Python 2 neither."""
    names = facts.names
    if names.scope_of(node).lookup(node.id) is not None or names.builtin(node) is not None:
        return False
    is_special = node.id.startswith("__") or node.id in _OF_OTHERS
    if is_special or names.names_from_torch(node.id) or may_set_names(facts):
        return False
    # Python 2 left the names of a list comprehension bound.
    bound = (s.bindings for s in names.scopes.values() if s.kind == "comprehension")
    return not any(node.id in each for each in bound) and not is_set_by_others(
        facts.inference, node.id
    )
