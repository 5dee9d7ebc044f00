"""How many dimensions stand at the places of what a recurrent layer gives."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.module_calls import layer_output
from torchfix_codemods.facts.language.scopes import Path
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Tensor, Value, item_at, ndim_of
from torchfix_codemods.rules.losses.questions.ranks import ANY


def part_behind(
    facts: Facts, call: ast.Call, module: Module, before: frozenset[int], path: Path
) -> frozenset[int]:
    """The numbers of dimensions of ``h`` in ``output, (h, c) = lstm(x)``.

    Args:
        facts: the facts of the module.
        call: the call of the layer.
        module: the layer.
        before: the numbers of dimensions of what it is given.
        path: which part of what it gives is asked for.
    """
    taken = taken_by_recurrent(facts, call, module)
    found = []
    # What is packed has none, and comes out as a sequence would.
    for ndim in before & taken or taken:
        part: Value = layer_output(facts.inference, module, Tensor(ndim=ndim))
        for step in path:
            part = item_at(part, step) if isinstance(step, int) else Value()
        found.append(ndim_of(part))
    return frozenset(ndim for ndim in found if ndim is not None) if all(found) else ANY


def is_recurrent(module: Module) -> bool:
    """Whether a layer goes through sequences: ``nn.LSTM``, ``nn.GRU`` and ``nn.RNN``."""
    package, _, layer = (module.cls or "").rpartition(".")
    return package == "torch.nn" and layer in torch_api.RECURRENT


def taken_by_recurrent(facts: Facts, call: ast.Call, module: Module) -> frozenset[int]:
    """What a recurrent layer takes; nothing where a layer is none.

    Without a batch, one dimension less; torch takes that since 1.11.
    """
    package, _, layer = (module.cls or "").rpartition(".")
    if package != "torch.nn":
        return frozenset()
    is_old = facts.era_of(call).before((1, 11))
    if is_recurrent(module):
        return frozenset({3} if is_old else {2, 3})
    if layer == "LSTMCell" or layer in torch_api.RECURRENT_CELLS:
        return frozenset({2} if is_old else {1, 2})
    return frozenset()
