"""In-place methods of tensors, and what of their arguments a graph could come from."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_table import forms_of

#: What they take besides numbers, no program of old gave them.
_GIVEN_NUMBERS = frozenset({"fill_", "clamp_", "bernoulli_"})


def is_given_numbers(method: str) -> bool:
    """Whether what a method writes is a number in the programs of old, whatever it takes today."""
    return method in _GIVEN_NUMBERS


#: The parameters that tell where to write.
_PLACES = frozenset({"dim", "index", "mask"})


def may_write_graph(method: ast.Attribute) -> bool:
    """Whether ``x.method`` is an in-place method that may write more than numbers."""
    name = method.attr
    if not name.endswith("_") or name.startswith("_") or is_given_numbers(name):
        return False
    return name == "requires_grad_" or not torch_effects.writes_only_numbers(name)


def written_by(call: ast.Call) -> list[ast.expr]:
    """What a call of an in-place method writes, without the indices and masks that tell where."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    forms = forms_of(f"torch.Tensor.{method}")
    taken = [parameter.name for parameter in forms[0].parameters[1:]] if forms else []
    places = next((at for at, name in enumerate(taken) if name not in _PLACES), len(taken))
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        places = 0
    named = [k.value for k in call.keywords if not places or k.arg not in _PLACES]
    return [*call.args[places:], *named]
