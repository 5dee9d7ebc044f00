"""Whether two expressions certainly have the same value, by how the names in them are set."""

from __future__ import annotations

import ast
from itertools import zip_longest

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes

#: Through so many names and parts of expressions values are compared.
_MAX_DEPTH = 12


def have_one_value(first: ast.AST, second: ast.AST, facts: Facts, depth: int = 0) -> bool:
    """Whether two expressions that are evaluated one right after the other give the same.

    ``w`` and ``h`` of ``w = h = size``, and of ``w = size // 2`` beside ``h = size // 2``.

    Args:
        first: an expression, or a part of one.
        second: what it is compared to.
        facts: the file.
        depth: through how much they were followed.
    """
    if depth > _MAX_DEPTH or type(first) is not type(second):
        return False
    if isinstance(first, ast.Name) and isinstance(second, ast.Name):
        return _hold_one_value(first, second, facts, depth)
    if isinstance(first, ast.Call) and not only_computes(facts, first):
        return False
    if isinstance(first, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda)):
        return False
    parts = zip_longest(ast.iter_fields(first), ast.iter_fields(second))
    return all(
        one is not None and other is not None and _are_alike(one[1], other[1], facts, depth + 1)
        for one, other in parts
    )


def _are_alike(one: object, other: object, facts: Facts, depth: int) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_are_alike(*pair, facts, depth) for pair in pairs)
    if isinstance(one, ast.AST) and isinstance(other, ast.AST):
        return have_one_value(one, other, facts, depth)
    return one == other


def _hold_one_value(first: ast.Name, second: ast.Name, facts: Facts, depth: int) -> bool:
    ones, others = facts.flow.reaching(first), facts.flow.reaching(second)
    if first.id == second.id:
        return set(ones) == set(others)
    if not ones or len(ones) != len(others):
        return False
    # Whichever of the blocks ran last, it has set both.
    return all(any(_are_set_alike(one, two, facts, depth + 1) for two in others) for one in ones)


def _are_set_alike(one: Binding, other: Binding, facts: Facts, depth: int) -> bool:
    """Whether one statement, or two with little between them, give two names the same."""
    if one.kind != "assign" or other.kind != "assign" or one.path or other.path:
        return False
    if one.value is None or other.value is None:
        return False
    if one.node is other.node:
        return True
    return _stand_together(one.node, other.node, facts) and have_one_value(
        one.value, other.value, facts, depth
    )


def _stand_together(one: ast.AST, other: ast.AST, facts: Facts) -> bool:
    """Whether two statements run one after the other, and those between them only set names."""
    if not isinstance(one, ast.stmt) or not isinstance(other, ast.stmt):
        return False
    block = facts.block(one)
    if one not in block or other not in block:
        return False
    first, last = sorted((block.index(one), block.index(other)))
    return all(
        isinstance(statement, ast.Assign)
        and all(isinstance(target, ast.Name) for target in statement.targets)
        and only_computes(facts, statement.value)
        for statement in block[first:last]
    )
