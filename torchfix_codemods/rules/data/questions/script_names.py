"""What workers need of a script, which they import without what stands under its guard."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_called

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def needed_by_workers(facts: Facts) -> list[Definition]:
    """The classes of a script and the functions that it hands on, with all that those call."""
    defined = {s.name: s for s in facts.tree.body if isinstance(s, _DEFINITIONS)}
    needed = [s for s in defined.values() if _may_be_pickled(s, facts)]
    for definition in needed:
        called = (defined.get(name) for name in sorted(names_read_by([definition])))
        needed.extend(each for each in called if each is not None and each not in needed)
    return needed


def names_read_by(definitions: Iterable[Definition]) -> set[str]:
    """The names in the code of some definitions."""
    return {
        node.id
        for definition in definitions
        for node in walk(definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def names_set_below(first: ast.stmt, facts: Facts) -> set[str]:
    """The names that the module level sets from a statement on, other than by definitions."""
    return {
        name
        for name, bindings in facts.names.module.bindings.items()
        for binding in bindings
        if binding.kind not in ("class", "function")
        and getattr(binding.node, "lineno", 0) >= first.lineno
    }


def _may_be_pickled(definition: Definition, facts: Facts) -> bool:
    """Whether workers may look a class, or a function that is no more than called, up by name."""
    if isinstance(definition, ast.ClassDef):
        return True
    uses = facts.names.uses_of(facts.names.module, definition.name)
    return any(not is_called(facts, use) for use in uses)
