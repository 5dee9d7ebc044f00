"""Dicts that are kept by numbers, in which a tensor is no key: it is hashed as an object."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.tensors.integers import holds_integers
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Mapping, Number, Tensor

_DICTS = (ast.Dict, ast.DictComp)


def is_lost_key(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``words[index]`` asks a dict for a tensor where all keys are numbers."""
    if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, (ast.Constant, ast.Slice)):
        return False
    if not _may_be_written_down(facts, node.value):
        return False
    key = facts.value(node.slice)
    if not isinstance(key, Tensor) or not holds_integers(key):
        return False
    if key.ndim not in (None, 0) and not key.single:
        return False
    return isinstance(facts.value(node.value), Mapping) and _is_kept_by_numbers(facts, node.value)


def is_asked_for_lost_key(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``words[x.data[0]]`` is written where the dict is asked."""
    around = facts.parent(node)
    return isinstance(around, ast.Subscript) and around.slice is node and is_lost_key(facts, around)


def _may_be_written_down(facts: Facts, kept: ast.expr) -> bool:
    """Whether a dict may be written down with its keys; asked first, because that is seldom so."""
    if isinstance(kept, ast.Name):
        return any(isinstance(b.value, _DICTS) for b in facts.flow.reaching(kept))
    if not isinstance(kept, ast.Attribute):
        return False
    if kept.attr not in facts.names.assigned_attributes:
        return True
    statements = (facts.parent(use) for use in facts.names.attributes(kept.attr))
    return any(isinstance(getattr(s, "value", None), _DICTS) for s in statements)


def _is_kept_by_numbers(facts: Facts, kept: ast.expr) -> bool:
    """Whether everything that a dict is given in its file is given for a number."""
    if isinstance(kept, ast.Name):
        made = facts.assigned(kept)
        found = facts.names.scope_of(kept).lookup(kept.id)
        if made is None or found is None:
            return False
        return _are_numbers(facts, made, facts.names.uses_of(found[0], kept.id))
    if not isinstance(kept, ast.Attribute):
        return False
    receiver = facts.value(kept.value)
    home = facts_of(receiver.owner) if isinstance(receiver, Imported) else facts
    if home is None:
        return False
    uses = home.names.attributes(kept.attr)
    made = []
    for use in uses:
        if isinstance(use.ctx, ast.Store):
            statement = home.parent(use)
            if not isinstance(statement, ast.Assign):
                return False
            made.append(statement.value)
    return _are_numbers(home, made, uses)


def _are_numbers(facts: Facts, made: Iterable[ast.expr], uses: Iterable[ast.expr]) -> bool:
    """Whether dicts are written down with numbers as keys, and get no other keys; at least one."""
    keys: list[ast.expr | None] = []
    for value in made:
        if isinstance(value, ast.Dict):
            keys += value.keys
        elif isinstance(value, ast.DictComp):
            keys.append(value.key)
        else:
            return False
    keys += filter(None, (_stored(facts.names, use) for use in uses))
    return bool(keys) and all(k is not None and isinstance(facts.value(k), Number) for k in keys)


def _stored(names: Names, use: ast.expr) -> ast.expr | None:
    """``k`` of ``words[k] = …``."""
    parent = names.parents.get(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return parent.slice if isinstance(parent.ctx, ast.Store) else None
    return None
