"""Which part of what a call gives is taken, where it gives several."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.catalogue.rows import Call
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Region
from torchfix_codemods.rules.questions.fitting import literal


def places(row: Call, call: ast.Call, facts: Facts) -> Iterator[tuple[str | None, Region, int]]:
    """The ways to write a call anew: as a whole, or together with the part that is taken of it."""
    yield None, call, 0
    parent = facts.parent(call)
    if isinstance(parent, ast.Attribute) and parent.attr in row.parts:
        yield parent.attr, parent, 0
    elif len(row.parts) == 1:
        # An attribute of something that is no tuple.
        return
    elif isinstance(parent, ast.Subscript) and parent.value is call:
        index = literal(parent.slice)
        if isinstance(index, int) and -len(row.parts) <= index < len(row.parts):
            yield row.parts[index], parent, 0
    elif isinstance(parent, ast.Assign):
        wanted = _only_wanted(parent, row, facts)
        if wanted is not None:
            yield row.parts[wanted], parent, wanted


def _only_wanted(assign: ast.Assign, row: Call, facts: Facts) -> int | None:
    """Which part alone is used of what ``a, b = f(x)`` takes apart."""
    target = assign.targets[0]
    if len(assign.targets) != 1 or not isinstance(target, ast.Tuple):
        return None
    if len(target.elts) != len(row.parts):
        return None
    wanted = [i for i, name in enumerate(target.elts) if not _is_unread(name, facts)]
    named = [i for i, name in enumerate(target.elts) if getattr(name, "id", "_") != "_"]
    only = wanted or named
    return only[0] if len(only) == 1 else None


def _is_unread(target: ast.expr, facts: Facts) -> bool:
    """Whether nobody reads the name that is assigned here."""
    if not isinstance(target, ast.Name):
        return False
    scope: Scope = facts.names.scope_of(target)
    if scope is facts.names.module and facts.is_used_elsewhere(target.id) and target.id != "_":
        return False
    found = scope.lookup(target.id)
    return found is not None and not any(
        isinstance(use.ctx, ast.Load) for use in facts.names.uses_of(found[0], target.id)
    )
