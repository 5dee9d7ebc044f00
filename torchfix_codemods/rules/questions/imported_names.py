"""Whether an imported name, and all that it serves, can have another name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.libraries.torch_names import (
    canonical,
    last_part,
    module_part,
    star_exports,
)
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rules.questions.unread_imports import is_exported


@record
class Imported:
    """What an imported name serves in its file.

    ``changing`` are those of its ``uses`` that get the new name, none where the import keeps the
    local one; ``is_there`` tells whether the new name is imported already.
    """

    uses: Sequence[ast.Name]
    changing: Sequence[ast.Name] = ()
    is_there: bool = False


def imported(facts: Facts, node: ast.ImportFrom, alias: ast.alias, new: str) -> Imported | None:
    """What changes together with the import of a name; None where it cannot change."""
    scope = facts.names.scope_of(node)
    local = alias.asname or alias.name
    uses = _uses(facts, scope, local)
    if local != alias.name or local == last_part(new) or not module_part(new):
        # A whole module is imported under the name that the file has for it.
        return Imported(uses)
    if not uses or not _can_follow(facts, scope, local, new, uses):
        return None
    return Imported(uses, uses, _is_bound_to(facts, scope, new))


def can_go_along(facts: Facts, node: ast.ImportFrom, alias: ast.alias, new: str) -> bool:
    """Whether a name that nothing reads can change where others of its import do.

    It stands beside them for what the file may get, and would be the one old name among new ones.
    """
    scope, local = facts.names.scope_of(node), alias.asname or alias.name
    is_idle = not _uses(facts, scope, local) and scope.lookup(last_part(new)) is None
    return is_idle and _can_follow(facts, scope, local, new, ())


def qualified(node: ast.ImportFrom, alias: ast.alias) -> str:
    """The public name of what is imported; empty where that is relative."""
    return "" if node.level or not node.module else canonical(f"{node.module}.{alias.name}")


def _uses(facts: Facts, holder: Scope, local: str) -> list[ast.Name]:
    return [
        use
        for scope in facts.names.scopes.values()
        for use in scope.uses.get(local, ())
        if (found := facts.names.scope_of(use).lookup(local)) is not None and found[0] is holder
    ]


def _can_follow(
    facts: Facts, holder: Scope, local: str, new: str, uses: Sequence[ast.Name]
) -> bool:
    """Whether all uses of an imported name can change together with it."""
    if len(holder.bindings.get(local, ())) != 1 or is_exported(facts, holder, local):
        return False
    for scope in facts.names.scopes.values():
        if local in scope.outer_names or last_part(new) in scope.outer_names:
            return False
    return all(
        _is_free(facts, use, new, holder) and not is_guarded(facts, use, last_part(new))
        for use in uses
    )


def _is_bound_to(facts: Facts, scope: Scope, new: str) -> bool:
    """Whether the scope sees ``new`` under its own name already."""
    found = scope.lookup(last_part(new))
    return found is not None and {binding.qualified for binding in found[1]} == {new}


def _is_free(facts: Facts, use: ast.Name, new: str, holder: Scope) -> bool:
    """Whether the new name, written at ``use``, is or can be made what it should be."""
    scope = facts.names.scope_of(use)
    found = scope.lookup(last_part(new))
    if found is None:
        return holder.lookup(last_part(new)) is None
    return _is_bound_to(facts, scope, new) and holder.lookup(last_part(new)) is not None


def comes_by_star(facts: Facts, new: str) -> bool:
    """Whether the new name is among those that ``from torch.nn import *`` brings in."""
    return last_part(new) in (star_exports(module_part(new)) or ()) and any(
        isinstance(node, ast.ImportFrom)
        and node.module == module_part(new)
        and node.names[0].name == "*"
        for node in facts.names.nodes.get(ast.ImportFrom, ())
    )


def is_replaced(facts: Facts, old: str) -> bool:
    """Whether the file assigns to the qualified name, or names it in ``setattr`` or ``patch``."""
    return any(
        isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and node.attr == last_part(old)
        and facts.name(node) == old
        for node in facts.names.nodes.get(ast.Attribute, ())
    ) or any(
        isinstance(node, ast.Call)
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
        and node.args[1].value == last_part(old)
        and facts.name(node.args[0]) == module_part(old)
        for node in facts.names.nodes.get(ast.Call, ())
    )
