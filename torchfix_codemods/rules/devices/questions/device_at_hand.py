"""A device that need not be defined: of a tensor beside, of a test, or one that has a name."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rules.devices.questions.asked_types import tensor_of_gpu_type
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import guards_of
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_for_place, tensor_on_gpu
from torchfix_codemods.rules.devices.questions.named.device_names import device_at
from torchfix_codemods.rules.devices.questions.neighbours import tensor_at_hand, tensor_with_weights


@record
class AtHand:
    """A device that need not be defined."""

    text: str
    is_of_neighbour: bool
    """Whether it is where a parameter of the method is."""
    is_of_weights: bool = False
    """Whether it is where the weights of the module are, to which a tensor goes."""


def device_at_hand(call: ast.Call, facts: Facts) -> AtHand | None:
    """The device that ``x.cuda()`` can name without a new definition."""
    guard = _device_of_guard(call, facts)
    neighbour = tensor_at_hand(call, facts)
    if neighbour is not None:
        # Of several tensors beside it, it goes where the one is that the code asked.
        return AtHand(guard or f"{neighbour}.device", is_of_neighbour=True)
    beside = tensor_with_weights(call, facts)
    if beside is not None:
        return AtHand(f"{beside}.device", is_of_neighbour=True, is_of_weights=True)
    if guard is None and any(asks_for_place(test, facts) for test in guards_of(call, facts)):
        return None
    known = guard or device_at(call, facts)
    return None if known is None else AtHand(known, is_of_neighbour=False)


def _device_of_guard(call: ast.Call, facts: Facts) -> str | None:
    """``x.device`` under ``if x.is_cuda:`` or ``if isinstance(x, torch.cuda.FloatTensor):``."""
    assert isinstance(call.func, ast.Attribute)
    for test in guards_of(call, facts):
        tensor = tensor_on_gpu(test, facts) or tensor_of_gpu_type(test, facts)
        if isinstance(tensor, (ast.Name, ast.Attribute)):
            if not same_expression(tensor, call.func.value):
                return f"{ast.unparse(tensor)}.device"
    return None
