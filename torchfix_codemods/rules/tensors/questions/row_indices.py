"""Items of what was squeezed that are there all the same: coordinates, rows of several alone."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Use
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.rules.questions.listed_elements import gone_through


def is_read_by_number(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is only read at places that are written down: ``i[0]``, ``i[1]``.

    There are as many elements whatever it was made of: the coordinates of one place.
    """
    parent = facts.parent(node)
    if not isinstance(parent, ast.Assign) or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    if len(parent.targets) > 1 or facts.is_used_elsewhere(name):
        return False
    places = [_place_read(use, facts) for use in uses_given_by(facts, parent, name)]
    return None not in places and len(set(places)) > 1


def _place_read(use: ast.expr, facts: Facts) -> int | None:
    """``2`` of ``i[2]``."""
    parent = facts.parent(use)
    is_read = isinstance(parent, ast.Subscript) and parent.value is use
    return whole_number(parent.slice) if isinstance(parent, ast.Subscript) and is_read else None


def is_of_shorter(use: Use) -> bool:
    """Whether a row is taken only where its length is less than the greatest one.

    That is ``x[i, n:]`` below ``if n < longest:`` in ``for i, n in enumerate(lengths):``, with
    ``longest = max(lengths)``: a single row is as long as the longest.
    """
    item, facts = use.by, use.facts
    row = indices(item.slice)[0] if isinstance(item, ast.Subscript) else None
    counted = None if row is None else _bound(row, facts)
    if counted is None or counted.kind != "for":
        return False
    return any(
        isinstance(test, ast.Compare) and _asks_for_less(test, way, counted.node, facts)
        for test, way in tests_around(facts.names, item)
    )


def _asks_for_less(test: ast.Compare, way: bool, loop: ast.AST, facts: Facts) -> bool:
    """Whether a test lets only lengths of a loop through that are not the greatest one."""
    if len(test.ops) != 1:
        return False
    one, other, operator = test.left, test.comparators[0], test.ops[0]
    # Of a length nothing is more than the greatest, so that "not equal" is "less".
    if isinstance(operator, (ast.NotEq, ast.Eq)):
        is_let = isinstance(operator, ast.NotEq) is way
        return is_let and (_is_less(one, other, loop, facts) or _is_less(other, one, loop, facts))
    if isinstance(operator, (ast.Gt, ast.LtE)):
        one, other = other, one
    is_strict = isinstance(operator, (ast.Lt, ast.Gt))
    if not is_strict and not isinstance(operator, (ast.LtE, ast.GtE)):
        return False
    return is_strict is way and _is_less(one, other, loop, facts)


def _is_less(length: ast.expr, longest: ast.expr, loop: ast.AST, facts: Facts) -> bool:
    """Whether ``n < longest`` compares a length of a loop with the greatest of them."""
    each = _bound(length, facts)
    if each is None or each.kind != "for" or each.node is not loop or each.value is None:
        return False
    lengths = gone_through(facts, each.value, each.path)
    greatest = _bound(longest, facts)
    call = longest if greatest is None else greatest.written()
    return (
        isinstance(lengths, ast.Name)
        and isinstance(call, ast.Call)
        and facts.names.builtin(call.func) == "max"
        and len(call.args) == 1
        and not call.keywords
        and isinstance(call.args[0], ast.Name)
        and call.args[0].id == lengths.id
        and {*facts.flow.reaching(call.args[0])} == {*facts.flow.reaching(lengths)}
    )


def _bound(node: ast.expr, facts: Facts) -> Binding | None:
    """The one binding of a name; None where there may be others."""
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    return next(iter(bindings)) if len(bindings) == 1 else None
