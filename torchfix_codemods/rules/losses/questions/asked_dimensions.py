"""How many dimensions a tensor can have, as what is asked of it shows."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import argument, constant, whole_number
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.module import Facts

#: The numbers of dimensions that are told apart; the last stands for all above, too.
MANY = 5
ANY = frozenset(range(MANY + 1))
SWAPS = frozenset("transpose transpose_ swapaxes swapdims".split())


def shown_by_uses(facts: Facts, call: ast.Call) -> frozenset[int]:
    """The numbers of dimensions of what a call gives, by what is done with it: ``f(x)[:, 1]``.

    Args:
        facts: the facts of the module.
        call: a call that gives a tensor wherever the code runs.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    found = by_use(facts, call)
    for use in _uses_next(facts, call):
        found &= by_use(facts, use)
    return found or ANY


def _uses_next(facts: Facts, call: ast.Call) -> Iterator[ast.Name]:
    """The uses of the name that a call is assigned to, in the plain statements that follow it."""
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return
    block = facts.block(statement)
    below = itertools.takewhile(_is_plain, block[block.index(statement) + 1 :])
    reached = set(below)
    for use in facts.names.scope_of(target).uses.get(target.id, ()):
        reaching = facts.flow.reaching(use)
        is_it = len(reaching) == 1 and reaching[0].node is statement and not reaching[0].path
        if is_it and facts.statement(use) in reached:
            if facts.inference.branches.runs_with(use, call):
                if not may_be_reshaped(facts.inference, use):
                    yield use


def _is_plain(statement: ast.stmt) -> bool:
    """Whether nothing but the next statement can come after one."""
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return))


def by_use(facts: Facts, use: ast.expr) -> frozenset[int]:
    """What a use of a tensor asks of it: ``x.size(2)``, ``x[:, :, 0]``, ``x.max(1)``.

    Args:
        facts: the facts of the module.
        use: the expression that is the tensor there.
    """
    user = facts.parent(use)
    if isinstance(user, ast.Subscript) and user.value is use:
        parts = indices(user.slice)
        return at_least(sum(isinstance(p, ast.Slice) or type(constant(p)) is int for p in parts))
    call = facts.parent(user) if isinstance(user, ast.Attribute) else None
    if not isinstance(user, ast.Attribute) or user.value is not use:
        return ANY
    if user.attr == "shape":
        return _unpacked(facts, user)
    if not isinstance(call, ast.Call) or call.func is not user:
        return ANY
    if user.attr == "size" and not call.args and not call.keywords:
        return _unpacked(facts, call)
    if user.attr in (*SWAPS, "size"):
        return at_least(max(map(needed, call.args), default=0))
    place = PLACE_OF_DIM.get(user.attr)
    dim = None if place is None else argument(call, place, "dim")
    # What has no dimension takes 0 and -1, too.
    return ANY if dim is None or needed(dim) < 2 else at_least(needed(dim))


def _unpacked(facts: Facts, sizes: ast.expr) -> frozenset[int]:
    """What ``batch, length = x.size()`` shows: there are as many sizes as names."""
    statement = facts.parent(sizes)
    if not isinstance(statement, ast.Assign) or statement.value is not sizes:
        return ANY
    names = [t.elts for t in statement.targets if isinstance(t, (ast.Tuple, ast.List))]
    if not names or any(isinstance(name, ast.Starred) for name in names[0]):
        return ANY
    return frozenset({min(len(names[0]), MANY)})


def at_least(least: int) -> frozenset[int]:
    """So many dimensions, and more."""
    return frozenset(range(min(least, MANY), MANY + 1))


def needed(dim: ast.expr) -> int:
    """How many dimensions a tensor has that has one of a certain number."""
    number = whole_number(dim)
    return 0 if number is None else max(number + 1, -number)
