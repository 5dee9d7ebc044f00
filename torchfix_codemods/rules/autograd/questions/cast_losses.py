"""Losses that are cast before their number is read: `loss.type(torch.FloatTensor).data[0]`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, values_given
from torchfix_codemods.facts.libraries.losses import LOSSES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Module

_FLOATS = (["torch.FloatTensor"], ["torch.cuda.FloatTensor"], ["torch.float"], ["torch.float32"])
_DOUBLES = ("double", "float64", "DoubleTensor", "set_default_dtype", "set_default_tensor_type")


def is_cast_loss(node: ast.Subscript, facts: Facts) -> bool:
    """Whether an indexed loss is cast to floats, whose number it holds without that.

    It is a criterion's, of what a model gives, and nothing in the project speaks of doubles, which
    the cast would round.
    """
    cast = unwrapped(node.value)[0]
    if not isinstance(cast, ast.Call) or not isinstance(cast.func, ast.Attribute):
        return False
    given = [facts.name(value) for value in values_given(cast)]
    method = cast.func.attr
    is_cast = not given if method == "float" else method == "type" and given in _FLOATS
    if not is_cast or any(map(facts.is_mentioned, _DOUBLES)):
        return False
    loss = unwrapped(cast.func.value)[0]
    return come_from([Place(facts, loss)], _before_criterion)


def _before_criterion(place: Place) -> Iterable[Place] | None:
    node, facts = place.node, place.facts
    if not isinstance(node, ast.Call):
        return sources(place)
    criterion, output = facts.value(node.func), argument(node, 0, "input")
    if not isinstance(criterion, Module) or criterion.cls not in LOSSES or output is None:
        return None
    return () if come_from([Place(facts, output)], _before_model) else None


def _before_model(place: Place) -> Iterable[Place] | None:
    node = place.node
    if not isinstance(node, ast.Call):
        return sources(place)
    return () if isinstance(place.facts.value(node.func), Module) else None
