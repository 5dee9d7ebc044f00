"""Masks that are parameters, or that an object keeps: their dtype by all calls in the project."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls, value_by_all_calls
from torchfix_codemods.facts.paths.handed_objects import arguments_of_all_applications
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.tensors.layouts import whole_of
from torchfix_codemods.facts.values.lattice import NoneValue, Tensor
from torchfix_codemods.rules.masks.questions.made_masks import LONGEST_CHAIN
from torchfix_codemods.rules.masks.questions.masks import inverted, may_be_uint8, operand_of

#: What makes masks of uint8.
MAKERS = ("byte", "ByteTensor", "uint8", "^")


def dtype_by_all_calls(facts: Facts, mask: ast.expr) -> str | None:
    """The dtype of a mask that is a parameter, by all calls of its function in the project."""
    if not may_be_uint8(facts, mask) or not any(map(facts.is_mentioned, MAKERS)):
        return None
    dtypes = {_dtype_given(given, facts) for given in given_behind(facts, whole_of(mask))}
    return dtypes.pop() if len(dtypes) == 1 else None


def _dtype_given(name: ast.expr, facts: Facts, depth: int = 0) -> str | None:
    """The same of a name, also where modules that other files make are called with it."""
    value = value_by_all_calls(name, facts)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype
    found = parameter_held(name, facts) if isinstance(name, ast.Name) else (None, None)
    if found[0] is None or found[1] is None or depth > LONGEST_CHAIN:
        return None
    is_run = found[0].name == "forward"
    arguments = arguments_of_all_applications if is_run else arguments_of_all_calls
    dtypes = {_dtype_of(each, there, depth) for there, each in arguments(*found, facts) or ()}
    return dtypes.pop() if len(dtypes) == 1 else None


def _dtype_of(node: ast.expr, facts: Facts, depth: int) -> str | None:
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype
    return _dtype_given(node, facts, depth + 1)


def given_behind(facts: Facts, core: ast.expr, depth: int = 0) -> list[ast.expr]:
    """The parameters that a mask is made of, or what keeps them; none where any is none of these.

    ``mask`` of ``part = mask[i].view(-1, 1)`` for ``part``, of ``1 - mask``, and ``self.mask`` that
    a method was given.
    """
    if inverted(core) == "1 - x":
        return given_behind(facts, whole_of(operand_of(core)), depth)
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
        behind = [] if value is None else given_behind(facts, value, depth + 1)
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
    return bool(others) and all(given_behind(facts, core, depth) for core in others)
