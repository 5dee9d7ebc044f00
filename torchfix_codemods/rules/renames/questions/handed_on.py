"""What a function stands for where it is not called: a decorator, a type, or what is handed on."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import Call
from torchfix_codemods.facts.age.era import parse_version
from torchfix_codemods.facts.language.classes import is_annotation, is_asked_for
from torchfix_codemods.facts.language.foreign import imports
from torchfix_codemods.facts.module import Facts


def as_value(row: Call, node: ast.Attribute | ast.Name, facts: Facts) -> str:
    """What is written where a function is not called: as a decorator, or as a type."""
    user = facts.parent(node)
    if isinstance(user, (ast.FunctionDef, ast.AsyncFunctionDef)) and node in user.decorator_list:
        return row.decorator
    is_type = is_asked_for(facts.names, node) or is_annotation(facts.names, node)
    return row.type if is_type else ""


def is_handed_on(row: Call, node: ast.Attribute | ast.Name, facts: Facts) -> bool:
    """Whether ``node`` is a function of an old torch whose name is that of a module today.

    Uses of a name that it gets are found themselves: ``f = torch.fft; map(f, xs)``.
    """
    user = facts.parent(node)
    if isinstance(user, ast.Attribute) or imports(facts.names, row.name):
        return False
    if row.gone is None or not facts.era_of(node).before(parse_version(row.gone)):
        return False
    target = user.targets[0] if isinstance(user, ast.Assign) and user.value is node else None
    if not isinstance(target, ast.Name) or facts.is_used_elsewhere(target.id):
        return True
    uses = facts.names.uses_of(facts.names.scope_of(target), target.id)
    return any(facts.name(use) != row.name for use in uses)
