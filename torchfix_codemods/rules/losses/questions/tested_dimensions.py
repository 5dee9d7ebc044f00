"""How many dimensions a tensor can have where code runs that tests have let through."""

from __future__ import annotations

import ast
import functools
import operator

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.comparisons import COMPARES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY


def by_test(facts: Facts, tensor: ast.Name, test: ast.expr, came_out: bool) -> frozenset[int]:
    """What ``assert x.dim() == 3`` above, or ``if x.dim() > 2:`` around, says of a tensor."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is came_out:
        parts = (by_test(facts, tensor, part, came_out) for part in test.values)
        return functools.reduce(operator.and_, parts)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return ANY
    counted, number = _counted(facts, test.left), whole_number(test.comparators[0])
    compares = COMPARES.get(type(test.ops[0]))
    if compares is None or counted is None or number is None:
        return ANY
    if not is_same(facts, counted, tensor):
        return ANY
    fits = (n for n in range(max(number, MANY) + 2) if compares(n, number) is came_out)
    return frozenset(min(ndim, MANY) for ndim in fits)


def _counted(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.dim()``, ``x.ndim``, ``len(x.size())`` and ``len(x.shape)``."""
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
