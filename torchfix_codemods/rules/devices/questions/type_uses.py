"""What is written for a use of a tensor type of the GPU."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.edit.tensors.construction import factory_for
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import Chain, Fill, chain_of
from torchfix_codemods.facts.tensors.defaults import may_change_default_type
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need
from torchfix_codemods.rules.devices.questions.gpu_types import Kind
from torchfix_codemods.rules.devices.questions.type_devices import device_of_type

FLOATING = ("torch.float", "torch.double", "torch.half")

_FILLS: tuple[Fill, ...] = ("zeros", "ones", "full")

_RANDOM: tuple[Fill, ...] = ("randn", "rand")


@record
class Use:
    """A use of a type, and what to write instead."""

    call: ast.Call
    region: ast.Call
    device: str
    needs: Sequence[Need]
    chain: Chain | None = None
    """The constructor and what fills its memory; None for ``x.type(…)``."""
    function: str = ""
    dtype: str = ""
    makes_floats: bool = False


def is_type_call(call: ast.Call) -> bool:
    """``x.type(t)``."""
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "type"
    return is_method and len(call.args) == 1 and not call.keywords


def use_of(call: ast.Call, kind: Kind, facts: Facts) -> Use | None:
    """How to write a use of a type; None where what it gives is not certain."""
    device = device_of_type(call, kind.test, facts)
    if device is None:
        return None
    if is_type_call(call):
        assert isinstance(call.func, ast.Attribute)
        dtype = spell(facts, kind.dtype, call)
        if dtype is None or not isinstance(facts.value(call.func.value), Tensor):
            return None
        needs = (*device.needs, *dtype.needs)
        return Use(call, call, device.text, needs, dtype=dtype.text)
    fills = (*_FILLS, *_RANDOM) if kind.dtype in FLOATING else _FILLS
    chain = chain_of(call, facts, fills, may_be_range=kind.dtype == "torch.long")
    if chain is None or (kind.dtype == "torch.float" and may_change_default_type(facts)):
        return None
    factory = factory_for(kind.dtype, chain)
    function = spell(facts, factory.function, call)
    dtype = Spelling("") if factory.dtype is None else spell(facts, factory.dtype, call)
    if function is None or dtype is None:
        return None
    return Use(
        call,
        chain.calls[-1],
        device.text,
        (*device.needs, *function.needs, *dtype.needs),
        chain,
        function.text,
        dtype.text,
        factory.makes_floats,
    )
