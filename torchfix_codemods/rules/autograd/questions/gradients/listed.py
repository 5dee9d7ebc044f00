"""Gradients that `torch.autograd.backward` is given in a list, one for each tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import is_one
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import is_number
from torchfix_codemods.facts.values.lattice import Sequence, Tensor

_DISPLAYS = (ast.List, ast.Tuple)


def are_ones(facts: Facts, given: ast.expr) -> bool:
    """Whether every gradient in a list, or the only one, is made as a single 1 of one dimension.

    Such a one fits a tensor of one number alone, for which torch takes a 1 by itself.
    """
    made = _made(facts, given)
    return bool(made) and all(_is_single_one(facts, each) for each in made)


def has_number(facts: Facts, tensors: ast.expr) -> bool:
    """Whether one of the tensors in a list, or the only one, certainly has no dimension."""
    if isinstance(tensors, _DISPLAYS):
        return any(is_number(facts, each) for each in tensors.elts)
    return any(each.ndim == 0 for each in _held(facts, tensors)) or is_number(facts, tensors)


def gradients_of_numbers(
    facts: Facts, tensors: ast.expr, given: ast.expr
) -> Iterable[ast.expr] | None:
    """The gradients of one dimension, where they are made, of tensors that have none.

    None where some tensor may have a dimension, or more than this call takes the list.
    """
    if isinstance(tensors, _DISPLAYS) and isinstance(given, _DISPLAYS):
        pairs = zip(tensors.elts, given.elts, strict=False)
        return [made for tensor, made in pairs if _is_pair(facts, tensor, made)]
    if not isinstance(facts.value(given), Sequence) and not isinstance(given, _DISPLAYS):
        return [given] if _is_pair(facts, tensors, given) else None
    held = _held(facts, tensors)
    if isinstance(tensors, _DISPLAYS):
        are_numbers = all(is_number(facts, each) for each in tensors.elts)
    else:
        are_numbers = bool(held) and all(each.ndim == 0 for each in held)
    if not are_numbers or (isinstance(given, ast.Name) and not _is_read_once(facts, given)):
        return None
    made = _made(facts, given)
    return made if all(_has_dimension(facts, each) for each in made) else None


def _is_pair(facts: Facts, tensor: ast.expr, made: ast.expr) -> bool:
    return is_number(facts, tensor) and _has_dimension(facts, made)


def _has_dimension(facts: Facts, made: ast.expr) -> bool:
    value = facts.value(made)
    return isinstance(value, Tensor) and value.ndim == 1


def _held(facts: Facts, node: ast.expr) -> list[Tensor]:
    """The tensors in a list; none where it may hold anything else."""
    value = facts.value(node)
    items = value.items if isinstance(value, Sequence) else None
    tensors = [item for item in items or () if isinstance(item, Tensor)]
    return tensors if len(tensors) == len(items or ()) else []


def _made(facts: Facts, given: ast.expr) -> list[ast.expr]:
    """The expressions that make the gradients in a list, also of one that has a name."""
    if isinstance(given, ast.Name):
        written = facts.assigned(given) or []
        is_known = isinstance(facts.value(given), Sequence) and len(written) == 1
        return _made(facts, written[0]) if is_known and _is_display(written[0]) else []
    if isinstance(given, _DISPLAYS):
        return given.elts
    if isinstance(given, ast.ListComp):
        return [given.elt]
    if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Mult):
        return _made(facts, given.left) if isinstance(given.left, _DISPLAYS) else []
    return [given]


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, (*_DISPLAYS, ast.ListComp, ast.BinOp))


def _is_read_once(facts: Facts, name: ast.Name) -> bool:
    scope = facts.names.scope_of(name)
    found = scope.lookup(name.id)
    return found is not None and [*facts.names.uses_of(found[0], name.id)] == [name]


def _is_single_one(facts: Facts, node: ast.expr) -> bool:
    """``torch.ones(1)``, ``torch.FloatTensor([1]).cuda()``."""
    while isinstance(node, ast.Call) and facts.name(node.func) is None:
        function = node.func
        if not isinstance(function, ast.Attribute) or not torch_effects.does(
            function.attr, "moves"
        ):
            return False
        node = function.value
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return False
    if facts.name(node.func) == "torch.ones":
        return is_one(node.args[0])
    listed = node.args[0]
    is_list = isinstance(listed, ast.List) and len(listed.elts) == 1 and is_one(listed.elts[0])
    return is_list and _has_dimension(facts, node)
