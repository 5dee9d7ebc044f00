"""How a qualified name can be written at a place of a module."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.module import Facts


def spelling(facts: Facts, place: ast.AST, qualified: str) -> str | None:
    """``torch.sigmoid`` or ``nn.functional.relu``: the shortest way to write ``qualified``.

    Returns:
        dotted text that starts with a name visible at ``place``; None where there is none.
    """
    around = facts.names.scope_of(place)
    return facts.remembered(
        ("spelling", around, qualified), lambda: _found(facts, around, qualified)
    )


def _found(facts: Facts, around: Scope, qualified: str) -> str | None:
    candidates = []
    scope: Scope | None = around
    seen: set[str] = set()
    while scope is not None:
        for local in scope.bindings:
            if local not in seen:
                seen.add(local)
                candidates += _through(around, local, qualified)
        scope = scope.parent
    return min(candidates, key=lambda text: (text.count("."), len(text)), default=None)


def _through(around: Scope, local: str, qualified: str) -> list[str]:
    found = around.lookup(local)
    if found is None or any(b.kind != "import" for b in found[1]):
        return []
    names = {binding.qualified or "" for binding in found[1]}
    if len(names) != 1:
        return []
    prefix = names.pop()
    if not prefix or not (qualified == prefix or qualified.startswith(prefix + ".")):
        return []
    return [local + qualified[len(prefix) :]]


def imports_torch(facts: Facts) -> bool:
    """Whether the module itself, and not just its functions, imports torch."""
    is_starred = any(m.partition(".")[0] == "torch" for m in facts.names.star_imports_of_torch)
    return imports_package(facts, "torch") or is_starred


def imports_package(facts: Facts, package: str) -> bool:
    """Whether the module itself, and not just its functions, imports something of a package."""
    return any(
        (binding.qualified or "").partition(".")[0] == package
        for bindings in facts.names.module.bindings.values()
        for binding in bindings
        if binding.kind == "import" and facts.parent(binding.node) is facts.tree
    )
