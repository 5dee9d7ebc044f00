"""How a file writes a qualified name of torch: by its own imports, or by one it has to get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import ImportOf, Need


@dataclass(frozen=True)
class Spelling:
    """The text of a name in one file, and the import that it needs there."""

    text: str
    needs: Sequence[Need] = ()


def spell(facts: Facts, name: str) -> Spelling | None:
    """How to write ``"torch.no_grad"`` at any place of the module.

    Returns:
        the shortest spelling by the module's own imports; else the full name together with
        ``import torch``; None where that would change what another name means.
    """
    candidates = []
    for local, bindings in facts.names.module.bindings.items():
        if not bindings or any(b.kind != "import" for b in bindings):
            continue
        qualified = {b.qualified for b in bindings}
        if len(qualified) != 1 or not _visible_everywhere(facts, local):
            continue
        imported = qualified.pop() or ""
        if name == imported:
            candidates.append(local)
        elif name.startswith(imported + ".") and imported.partition(".")[0] == "torch":
            candidates.append(local + name[len(imported) :])
    if candidates:
        return Spelling(min(candidates, key=len))
    root = name.partition(".")[0]
    if facts.names.module.bindings.get(root) or not _visible_everywhere(facts, root):
        return None
    return Spelling(name, (ImportOf(root),))


def _visible_everywhere(facts: Facts, local: str) -> bool:
    """Whether no inner scope gives the name another meaning."""
    return not any(
        local in scope.bindings
        for scope in facts.names.scopes.values()
        if scope is not facts.names.module and scope.kind != "class"
    )
