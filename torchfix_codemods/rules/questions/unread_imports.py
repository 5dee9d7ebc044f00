"""Imports at the top of a file whose names neither the file nor another one reads."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.module import Facts


def is_unread(facts: Facts, node: ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether an imported name can go, as nothing reads it and no comment speaks of its import."""
    local = alias.asname or alias.name
    scope = facts.names.scope_of(node)
    if facts.parent(node) is not facts.tree or any(facts.names.uses_of(scope, local)):
        return False
    lines = facts.lines[node.lineno - 1 : node.end_lineno]
    return not any("#" in line for line in lines) and not is_exported(facts, scope, local)


def is_exported(facts: Facts, holder: Scope, local: str) -> bool:
    """Whether other files take, or may take, an imported name from this one."""
    if holder is not facts.names.module:
        return False
    if facts.is_used_elsewhere(local):
        return True
    for binding in facts.names.module.bindings.get("__all__", ()):
        for node in ast.walk(binding.value) if binding.value is not None else ():
            if isinstance(node, ast.Constant) and node.value == local:
                return True
    return False
