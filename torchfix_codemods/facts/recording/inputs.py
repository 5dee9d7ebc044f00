"""What in a call of torch a graph leads from to its results."""

from __future__ import annotations

import ast
import functools

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.scalars_first import numbers_first
from torchfix_codemods.facts.libraries.torch_table import Form, Parameter, forms_of, forms_of_old

#: The kinds of parameters that stand for any number of arguments.
_SEVERAL = "WV"


def recorded_inputs(call: ast.Call, name: str, tensor: ast.expr | None) -> list[ast.expr]:
    """What a call gives an operation of torch that a graph could lead from to its results.

    ``x`` and ``y`` of ``torch.where(mask, x, y)``; of ``F.interpolate(x, size=size)`` only ``x``.
    What stands where nothing is known of the parameter counts as well.

    Args:
        call: the call.
        name: what it calls: ``torch.where``, or ``torch.Tensor.clamp`` of a method.
        tensor: what a method is called on; None for a function.
    """
    if tensor is not None and torch_effects.moves_or_casts(name):
        # Of ``x.type(kind)`` and ``x.to(other)`` the rest says where to, and which type.
        return [tensor]
    found: list[ast.expr] = []
    is_spread = False
    given = [*([] if tensor is None else [tensor]), *call.args]
    numbers = _numbers_among(call, name, is_method=tensor is not None)
    for place, each in enumerate(given):
        is_spread = is_spread or isinstance(each, ast.Starred)
        if each in numbers:
            continue
        if _may_lead_on(name, place, is_spread):
            found.append(each)
    return [*found, *(k.value for k in call.keywords if _may_lead_on_by_name(name, k.arg))]


def _numbers_among(call: ast.Call, name: str, *, is_method: bool) -> list[ast.expr]:
    """``alpha`` of ``torch.add(x, alpha, y)``: what requires gradients is refused there."""
    if any(isinstance(each, ast.Starred) for each in call.args):
        return []
    operation = name.removeprefix("torch.").removeprefix("Tensor.")
    places = numbers_first(operation, len(call.args), is_method=is_method)
    return [call.args[place] for place in places]


@functools.cache
def _may_lead_on(name: str, place: int, is_spread: bool) -> bool:
    """Whether a graph may lead on from what stands at a place, or at any behind it."""
    taken = [each for form in _forms(name) for each in _taken_at(form, place, is_spread)]
    return not taken or any(_is_recorded(name, each) for each in taken)


def _is_recorded(name: str, parameter: Parameter) -> bool:
    """Whether a graph may lead on from a parameter: also from a tensor that may be left out.

    ``bias`` of ``F.linear(x, weight, bias)``: of such ones nothing was measured.
    """
    is_option = parameter.kind == "T" and parameter.default is not None
    return is_option or parameter.name in _recorded(name)


def _taken_at(form: Form, place: int, is_spread: bool) -> list[Parameter]:
    """The parameters at a place of a form; all from there on behind ``*args``."""
    takes = [parameter for parameter in form.parameters if not parameter.keyword_only]
    if takes and takes[-1].kind in _SEVERAL:
        place = min(place, len(takes) - 1)
    return takes[place:] if is_spread else takes[place : place + 1]


@functools.cache
def _may_lead_on_by_name(name: str, keyword: str | None) -> bool:
    """Whether a graph may lead on from a keyword, or from ``**kwargs``."""
    known = [p for form in _forms(name) for p in form.parameters if p.name == keyword]
    return not known or any(_is_recorded(name, each) for each in known)


def _forms(name: str) -> tuple[Form, ...]:
    return forms_of(name) or forms_of_old(name)


def _recorded(name: str) -> frozenset[str]:
    """The parameters from which a graph leads to some result, in some way to call it."""
    return frozenset(
        parameter.partition(">")[0]
        for effects in torch_effects.effects_of(name)
        for parameter in effects.records
    )
