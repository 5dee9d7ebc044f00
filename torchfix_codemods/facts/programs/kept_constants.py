"""Attributes that an object has as its constructor sets them: ``self.use_bias = False``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.programs.unset import family, is_shown


def kept_constant(node: ast.Attribute, facts: Facts) -> ast.Constant | None:
    """The constant that ``self.name`` is in each run; None where that may change.

    The constructor sets it, whatever it is given, and asks for it to decide what it makes: what
    is set later comes too late for that. Nothing else in the project sets it.
    """
    if not isinstance(node.ctx, ast.Load) or not isinstance(node.value, ast.Name):
        return None
    if not any(not isinstance(each.ctx, ast.Load) for each in facts.names.attributes(node.attr)):
        return None
    cls = facts.names.enclosing_class(node)
    if cls is None or not is_self(facts, node.value):
        return None
    key = "kept constant", cls, node.attr
    return facts.remembered(key, lambda: _kept(node.attr, cls, facts))


def _kept(name: str, cls: ast.ClassDef, facts: Facts) -> ast.Constant | None:
    constructor = next((s for s in cls.body if getattr(s, "name", "") == "__init__"), None)
    if not isinstance(constructor, ast.FunctionDef) or constructor.decorator_list:
        return None
    stores = [n for n in facts.names.attributes(name) if not isinstance(n.ctx, ast.Load)]
    own = [
        n for n in stores if facts.names.enclosing_class(n) is cls or not is_self(facts, n.value)
    ]
    statement = facts.parent(own[0]) if len(own) == 1 else None
    if not isinstance(statement, ast.Assign) or statement not in constructor.body:
        return None
    if len(statement.targets) != 1 or not isinstance(statement.value, ast.Constant):
        return None
    # Of several kinds one is chosen there for now: ``self.note = "small"``.
    if not (statement.value.value is None or isinstance(statement.value.value, bool)):
        return None
    is_only = (
        _decides(name, statement, constructor, facts)
        and not facts.names.texts(name)
        and facts.files is not None
        and not facts.files.is_assigned_anywhere(name)
        and is_shown(cls, facts)
    )
    return statement.value if is_only and not _is_had_by_others(name, cls, facts) else None


def _decides(name: str, statement: ast.stmt, constructor: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a constructor asks for an attribute below the line that sets it."""
    below = constructor.body[constructor.body.index(statement) + 1 :]
    return any(
        isinstance(part, ast.Attribute) and part.attr == name and is_self(facts, part.value)
        for each in below
        if isinstance(each, ast.If)
        for part in walk(each.test)
    )


def _is_had_by_others(name: str, cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether a class above or below one speaks of an attribute, or has it by itself."""
    for there, one in family(cls, facts) or ():
        if name in there.names.scopes[one].bindings:
            return True
        if one is not cls and any(
            not isinstance(each.ctx, ast.Load) and there.names.enclosing_class(each) is one
            for each in there.names.attributes(name)
        ):
            return True
    return False
