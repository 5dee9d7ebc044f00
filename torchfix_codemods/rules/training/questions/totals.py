"""Totals that counts are added to, and what becomes of them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.rules.training.questions.counts import adds, adds_whole_number, was_number

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def is_asked_as_tensor(total: ast.Name | ast.Attribute, facts: Facts) -> bool:
    """Whether a total is asked for what no number has: ``correct.item()``, ``correct.data[0]``.

    An attribute may be asked of whatever object, in any file of the project.
    """
    uses: list[tuple[ast.expr, Facts]]
    if isinstance(total, ast.Attribute):
        places = (facts, *others_with(total.attr, facts))
        uses = [(use, there) for there in places for use in there.names.attributes(total.attr)]
    else:
        found = facts.names.scope_of(total).lookup(total.id)
        names = [] if found is None else facts.names.uses_of(found[0], total.id)
        uses = [(use, facts) for use in names]
    parents = ((use, there.parent(use)) for use, there in uses)
    return any(
        isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is use
        for use, parent in parents
    )


def is_named_for_total(node: ast.Assign, facts: Facts) -> bool:
    """Whether the only name that an assignment gives is added to a total, as a number.

    Or is a total on another way, which a count is added to: ``correct += (pred == y).sum()``.
    """
    target = node.targets[0]
    if node.targets[1:] or not isinstance(target, ast.Name) or is_asked_as_tensor(target, facts):
        return False
    found = facts.names.scope_of(target).lookup(target.id)
    if found is not None and any(_adds_number(binding.node, facts) for binding in found[1]):
        return True
    added = [facts.parent(use) for use in uses_given_by(facts, node, target.id)]
    totals = [
        each.target
        for each in added
        if isinstance(each, ast.AugAssign)
        and isinstance(each.op, ast.Add)
        and isinstance(each.target, (ast.Name, ast.Attribute))
    ]
    return bool(totals) and not any(is_asked_as_tensor(total, facts) for total in totals)


def _adds_number(node: ast.AST, facts: Facts) -> bool:
    """Whether a statement adds a count that was a number until torch 0.3."""
    is_added = isinstance(node, ast.AugAssign) and adds(node, "sum", facts)
    return is_added and isinstance(node, ast.AugAssign) and was_number(node, "sum", facts)


def was_cut(node: ast.AugAssign, scope: Scope, facts: Facts) -> bool:
    """Whether the torch of the file cut a quotient of the total to a whole number."""
    assert isinstance(node.target, ast.Name)
    era = facts.era_of(node)
    if not era.before((1, 5)) or era.before((0, 4)) or not adds_whole_number(node, facts):
        return False
    return any(_is_divided(use, facts) for use in facts.names.uses_of(scope, node.target.id))


def _is_divided(use: ast.expr, facts: Facts) -> bool:
    """Whether a total stands above the line: ``100. * correct / n``."""
    part: ast.AST = use
    while isinstance(outer := facts.parent(part), ast.BinOp):
        if isinstance(outer.op, ast.Div) and outer.left is part:
            return True
        part = outer
    return False


def is_aliased_in_loop(node: ast.AugAssign, scope: Scope, facts: Facts) -> bool:
    """``last = correct`` in the same loop: adding to a tensor in place changes ``last`` as well."""
    assert isinstance(node.target, ast.Name)
    loops = {a for a in facts.names.ancestors(node) if isinstance(a, (ast.For, ast.While))}
    return any(
        isinstance(facts.parent(use), (ast.Assign, ast.Dict))
        and not loops.isdisjoint(facts.names.ancestors(use))
        for use in scope.uses.get(node.target.id, ())
    )


def is_number_or_count(binding: Binding, facts: Facts) -> bool:
    """Whether a binding of the total is a number, adds a count to it, or calculates with it."""
    node = binding.node
    if isinstance(node, ast.AugAssign):
        return adds(node, "sum", facts) or (
            isinstance(node.op, _ARITHMETIC) and isinstance(facts.value(node.value), Number)
        )
    if binding.kind != "assign" or binding.value is None:
        return False
    return isinstance(facts.inference.bound(binding), Number) or (
        not binding.path and _is_calculated(binding.value, binding.name, facts)
    )


def _is_calculated(node: ast.expr, total: str, facts: Facts) -> bool:
    """Whether an expression calculates with the total and numbers: ``100. * total / n``."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _ARITHMETIC) and all(
            _is_calculated(side, total, facts) or isinstance(facts.value(side), Number)
            for side in (node.left, node.right)
        )
    return isinstance(node, ast.Name) and node.id == total


def divides_in_place(node: ast.AST) -> bool:
    """Whether a statement is ``total /= n``."""
    return isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div)
