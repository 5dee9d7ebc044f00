"""How many dimensions a tensor can have where code runs that tests have let through."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.comparisons import COMPARES
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY


def by_test(facts: Facts, tensor: ast.Name, test: ast.expr, came_out: bool) -> frozenset[int]:
    """What ``assert x.dim() == 3`` above, or ``if x.dim() > 2:`` around, says of a tensor."""
    return _by(facts, test, came_out, lambda counted: is_same(facts, counted, tensor))


def by_choices_above(
    facts: Facts, name: ast.Name, binding: Binding, others: tuple[Binding, ...]
) -> frozenset[int]:
    """What ``if x.dim() > 2: x = x.view(n, -1)`` says of what x had before and has behind it.

    Args:
        facts: the facts of the module.
        name: the use of the name behind it.
        binding: what gave the name its value before.
        others: all that may have given it the one that it has there.
    """

    def is_of_binding(counted: ast.expr) -> bool:
        if not isinstance(counted, ast.Name) or counted.id != name.id:
            return False
        is_between = counted.lineno <= getattr(binding.node, "lineno", 0) <= name.lineno
        return not is_between and binding in facts.flow.reaching(counted)

    found = ANY
    for statement in statements_above(facts.names, name) if len(others) > 1 else ():
        if not isinstance(statement, ast.If) or binding.node in statement.body:
            continue
        inner = {*facts.names.ancestors(name)} - {*facts.names.ancestors(statement)}
        if not inner.isdisjoint(facts.names.ancestors(binding.node)):
            # The next turn of a loop below the test may have it from the turn before.
            continue
        # Where the test held, the name has another value.
        if any(other.node in statement.body for other in others):
            found &= _by(facts, statement.test, False, is_of_binding)
    return found


def _by(
    facts: Facts, test: ast.expr, came_out: bool, is_asked: Callable[[ast.expr], bool]
) -> frozenset[int]:
    """What a test says of what ``is_asked`` knows, where it came out so."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is came_out:
        parts = (_by(facts, part, came_out, is_asked) for part in test.values)
        return functools.reduce(operator.and_, parts)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return ANY
    counted, number = counted_of(facts, test.left), whole_number(test.comparators[0])
    compares = COMPARES.get(type(test.ops[0]))
    if compares is None or counted is None or number is None or not is_asked(counted):
        return ANY
    fits = (n for n in range(max(number, MANY) + 2) if compares(n, number) is came_out)
    return frozenset(min(ndim, MANY) for ndim in fits)


def counted_of(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.dim()``, ``x.ndim``, ``len(x.size())`` and ``len(x.shape)``, also by a name.

    Args:
        facts: the facts of the module.
        node: what may count the dimensions of a tensor.
    """
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    node = made[0] if made is not None and len(made) == 1 else node
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) == "len" and node.args:
        return _owner(node.args[0], ("size", "shape"))
    return _owner(node, ("dim", "ndimension", "ndim"))


def _owner(node: ast.expr, names: tuple[str, ...]) -> ast.expr | None:
    method = node.func if isinstance(node, ast.Call) and not node.args else node
    return method.value if isinstance(method, ast.Attribute) and method.attr in names else None


def is_same(facts: Facts, one: ast.expr, other: ast.Name) -> bool:
    """Whether two names, the first of them above, certainly hold the same."""
    if not isinstance(one, ast.Name) or one.id != other.id:
        return False
    reaching = set(facts.flow.reaching(other))
    # In a loop, what binds the name between them reaches both.
    lines = (getattr(binding.node, "lineno", 0) for binding in reaching)
    is_bound_between = any(one.lineno <= line <= other.lineno for line in lines)
    return not is_bound_between and set(facts.flow.reaching(one)) == reaching
