"""Masks that a function is given, or that come as uint8 on a way only."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.tensors.layouts import core_of, whole_of
from torchfix_codemods.facts.values.lattice import NoneValue, Tensor, Unknown
from torchfix_codemods.rules.tensors.questions.made_masks import LONGEST_CHAIN, is_renamed_before
from torchfix_codemods.rules.tensors.questions.mask_wants import Want, place_of
from torchfix_codemods.rules.tensors.questions.masks import inverted, is_uint8, operand_of

MAKERS = ("byte", "ByteTensor", "uint8", "^")


Cast = Literal["of bytes", "of integers", "unsure"]
"""Why a mask is made one of bool where it is used; "unsure" where it only may have to be."""


def cast_wanted(facts: Facts, mask: ast.expr, core: ast.expr, place: Want) -> Cast | None:
    """Why ``.bool()`` is written behind a mask; None where it is not."""
    if place == "masked" and _holds_integers(facts, mask):
        return "of integers"
    if is_uint8(facts, mask) and not is_renamed_before(facts, core):
        is_all = place != "read" or not _indexes_something_else(facts, core)
        return "of bytes" if is_all else None
    if place == "masked" and _is_uint8_on_a_way(facts, core):
        return "of bytes"
    if place != "read" and (given := _given_by_all_calls(facts, mask)) in ("bool", "uint8"):
        return "of bytes" if given == "uint8" else None
    is_unsure = (place == "masked" and _may_come_as_uint8(facts, mask)) or (
        # On another way it may hold indices.
        place == "stored" and _is_uint8_on_a_way(facts, core)
    )
    return "unsure" if is_unsure else None


def _holds_integers(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask is certainly of whole numbers other than bytes."""
    value = facts.value(mask)
    return isinstance(value, Tensor) and value.dtype in ("int64", "int32", "int16", "int8")


def _indexes_something_else(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask that still works is an index of what may be no tensor, too: all or none."""
    if not isinstance(mask, ast.Name):
        return False
    return any(
        isinstance(parent := facts.parent(use), ast.Subscript)
        and parent.slice is use
        and place_of(facts, use) is None
        for use in facts.names.uses_of(facts.names.scope_of(mask), mask.id)
    )


def _may_come_as_uint8(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask comes from elsewhere, in a project that makes masks of uint8."""
    if facts.era_of(mask).needs((1, 2)) or not may_be_uint8(facts, mask):
        return False
    given = _given_behind(facts, whole_of(mask))
    return any(map(facts.is_mentioned, ("ByteTensor", "uint8", "byte"))) and (
        bool(given) and not any(_is_asked_for_bool(facts, given_as) for given_as in given)
    )


def _is_asked_for_bool(facts: Facts, name: ast.expr) -> bool:
    """Whether the code knows masks of both kinds: ``if mask.dtype == torch.bool``."""
    if not isinstance(name, ast.Name):
        return False
    for use in facts.names.scope_of(name).uses.get(name.id, ()):
        asked = facts.parent(use)
        compared = facts.parent(asked) if isinstance(asked, ast.Attribute) else None
        if isinstance(asked, ast.Attribute) and asked.attr == "dtype":
            if isinstance(compared, ast.Compare) and any(
                getattr(part, "attr", "") == "bool" for part in compared.comparators
            ):
                return True
    return False


def _is_uint8_on_a_way(facts: Facts, core: ast.expr, depth: int = 0) -> bool:
    """Whether one of the values that a name may hold is a mask of uint8, as old masks all were."""
    if not isinstance(core, ast.Name) or is_renamed_before(facts, core):
        return False
    values = [
        binding.value
        for binding in facts.flow.reaching(core)
        if binding.kind == "assign" and not binding.path and binding.value is not None
    ]
    return any(is_uint8(facts, value) for value in values) or (
        depth < LONGEST_CHAIN
        and any(_is_uint8_on_a_way(facts, core_of(value), depth + 1) for value in values)
    )


def _given_by_all_calls(facts: Facts, mask: ast.expr) -> str | None:
    """The dtype of a mask that is a parameter, by all calls of its function in the project."""
    if not may_be_uint8(facts, mask) or not any(map(facts.is_mentioned, MAKERS)):
        return None
    dtypes = {
        value.dtype if isinstance(value, Tensor) else None
        for given in _given_behind(facts, whole_of(mask))
        for value in [value_by_all_calls(given, facts)]
    }
    return dtypes.pop() if len(dtypes) == 1 else None


def _given_behind(facts: Facts, core: ast.expr, depth: int = 0) -> list[ast.expr]:
    """The parameters that a mask is made of, or what keeps them; none where any is none of these.

    ``mask`` of ``part = mask[i].view(-1, 1)`` for ``part``, of ``1 - mask``, and ``self.mask`` that
    a method was given.
    """
    if inverted(core) == "1 - x":
        return _given_behind(facts, whole_of(operand_of(core)), depth)
    if depth > LONGEST_CHAIN:
        return []
    if isinstance(core, ast.Attribute):
        return [core] if _keeps_what_is_given(facts, core, depth + 1) else []
    if not isinstance(core, ast.Name):
        return []
    found: list[ast.expr] = []
    for binding in facts.flow.reaching(core):
        if binding.kind == "parameter":
            found.append(core)
            continue
        is_assigned = binding.kind == "assign" and not binding.path and binding.value is not None
        value = whole_of(binding.value) if is_assigned and binding.value is not None else None
        behind = [] if value is None else _given_behind(facts, value, depth + 1)
        if not behind:
            return []
        found += behind
    return found


def _keeps_what_is_given(facts: Facts, kept: ast.Attribute, depth: int) -> bool:
    """Whether ``self.mask`` is what a method was given, a part or layout of it.

    ``self.mask = mask``, and ``self.mask = self.mask.t()`` of what it was given before.
    """
    method = facts.names.enclosing_function(kept)
    owner = facts.parent(method) if isinstance(method, ast.FunctionDef) else None
    if not isinstance(owner, ast.ClassDef) or not isinstance(method, ast.FunctionDef):
        return False
    if not isinstance(kept.value, ast.Name) or kept.value.id != facts.classes.self_name(method):
        return False
    values = [b.value for b in facts.classes.attribute_sources(owner, kept.attr) if not b.path]
    given = [v for v in values if v is not None and not isinstance(facts.value(v), NoneValue)]
    others = [core for core in map(whole_of, given) if ast.dump(core) != ast.dump(kept)]
    return bool(others) and all(_given_behind(facts, core, depth) for core in others)


def may_be_uint8(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor can be the uint8 that ``masked_fill`` and the like once asked for."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "uint8"
    return isinstance(value, (Tensor, Unknown))
