"""Names that nothing binds, so that what asks for them raises on every torch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.guards import handlers_around
from torchfix_codemods.facts.language.names import is_of_python
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, LOOPS, children, walk
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.programs.failing_imports import sets_names, star_may_bind

#: Names that Python 2 had, or that what runs a file adds to Python's own.
_OF_OTHERS = frozenset(
    "buffer coerce intern StandardError WindowsError "
    "_ display get_ipython profile dbutils spark sc".split()
)

#: Names that IPython gives, or what people let it run first.
_OF_IPYTHON = frozenset("In Out np plt pd pylab".split())

#: What an ``except`` catches that goes on without a name.
_OF_MISSING = frozenset({"BaseException", "Exception", "NameError"})

#: What may give a module names that no line of it binds.
_BINDING = ("exec", "execfile", "globals", "locals")

#: What binds in the middle of a statement, or by more than one line.
UNORDERED = ("walrus", "other")


def asks_unbound(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement asks for such a name whenever it runs."""
    return any(
        isinstance(node, ast.Name) and is_unbound(node, facts) for node in evaluated(statement)
    )


def comes_to_unbound(function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a function asks for such a name before it can return."""
    return comes_to(function, lambda statement: asks_unbound(statement, facts))


def comes_to(function: ast.FunctionDef, asks: Callable[[ast.stmt], bool]) -> bool:
    """Whether a function comes to a statement of its body that asks for something before it can
    return."""
    for statement in function.body:
        if asks(statement):
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
    if isinstance(statement, ast.AugAssign):
        yield statement.target
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
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += reversed(_parts_evaluated(current))


def _parts_evaluated(node: ast.AST) -> Sequence[ast.AST]:
    if isinstance(node, ast.BoolOp):
        return node.values[:1]
    if isinstance(node, ast.IfExp):
        return [node.test]
    if isinstance(node, ast.Compare):
        return [node.left, node.comparators[0]]
    if isinstance(node, COMPREHENSIONS):
        return [node.generators[0].iter]
    return () if isinstance(node, ast.Lambda) else children(node)


def is_unbound(node: ast.Name, facts: Facts) -> bool:
    """Whether a name is one that nothing binds, in Python 2 neither, or nothing before it."""
    names = facts.names
    found = names.scope_of(node).lookup(node.id)
    if found is not None:
        return _is_bound_behind(node, *found, facts)
    return is_bound_nowhere(node, facts)


def is_bound_by_no_cell(node: ast.Name, facts: Facts) -> bool:
    """Whether no cell of a notebook binds a name: the others may run in any order.

    What is no Python, and stands in a cell, may do so.
    """
    if node.id in _OF_IPYTHON or facts.is_used_elsewhere(node.id):
        return False
    return is_bound_nowhere(node, facts)


def is_bound_nowhere(node: ast.Name, facts: Facts) -> bool:
    """Whether nothing anywhere binds a name, nor may do so."""
    return _is_bound_by_no_line(node, facts) and not _is_had_unseen(node.id, facts)


def is_missed(node: ast.Name, facts: Facts) -> bool:
    """Whether a program is prepared for a name that nothing in sight binds, and goes on without it:
    ``try: x = kld_loss.data[0]`` ``except: pass``.

    What is imported with all names is in sight, if it lies anywhere in the project.
    """
    if not any(
        caught & _OF_MISSING and all(isinstance(s, ast.Pass) for h in handlers for s in h.body)
        for caught, handlers in handlers_around(facts, node)
    ):
        return False
    if not _is_bound_by_no_line(node, facts) or any(map(facts.speaks_of, _BINDING)):
        return False
    has_stars = bool(facts.names.unknown_star_imports)
    return not has_stars or not any(
        node.id in there.names.module.bindings for there in others_with(node.id, facts)
    )


def _is_bound_by_no_line(node: ast.Name, facts: Facts) -> bool:
    names = facts.names
    if names.scope_of(node).lookup(node.id) is not None or names.builtin(node) is not None:
        return False
    # Python 2 left the names of a list comprehension bound.
    bound = (s.bindings for s in names.scopes.values() if s.kind == "comprehension")
    return not any(node.id in each for each in bound) and not is_set_by_others(
        facts.inference, node.id
    )


def _is_bound_behind(
    node: ast.Name, holder: Scope, bindings: Collection[Binding], facts: Facts
) -> bool:
    """Whether a name gets its values only behind a place that asks for it: ``x = x + 1``.

    What a loop binds behind a statement of its block is not there when that first runs.
    """
    names, name = facts.names, node.id
    statement = names.statement(node)
    if holder.kind not in ("function", "module") or names.scope_of(statement) is not holder:
        return False
    if any(binding.kind in UNORDERED for binding in bindings):
        return False
    if not all(
        _comes_behind(binding.node, statement, facts)
        for binding in facts.flow.reaching_before(statement, name)
    ):
        return False
    return holder.kind == "function" or not (
        is_of_python(name) or _is_had_unseen(name, facts) or is_set_by_others(facts.inference, name)
    )


def _comes_behind(node: ast.AST, statement: ast.stmt, facts: Facts) -> bool:
    """Whether a node runs only after a statement has run: it is part of that, or stands below it
    in the block of a loop."""
    around = [node, *facts.names.ancestors(node)]
    if statement in around:
        return True
    loop = facts.parent(statement)
    if not isinstance(loop, LOOPS) or loop not in around or statement not in loop.body:
        return False
    return around[around.index(loop) - 1] in loop.body[loop.body.index(statement) :]


def _is_had_unseen(name: str, facts: Facts) -> bool:
    """Whether a module may have a name though no line of it binds the name."""
    is_special = name.startswith("__") or name in _OF_OTHERS
    is_of_torch = is_special or bool(facts.names.names_from_torch(name))
    return is_of_torch or may_set_names(facts) or star_may_bind(name, facts.inference)
