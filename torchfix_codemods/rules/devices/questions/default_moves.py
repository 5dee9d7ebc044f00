"""Moves to the default GPU: which of them can be written for any device."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.known_moves import is_movable, is_move
from torchfix_codemods.rules.devices.questions.written_places import needs_gpu_anyway


def first_without_device(facts: Facts) -> ast.Call | None:
    """The first ``x.cuda()`` of a file that needs a GPU, and for which no device is at hand."""
    return next(iter(moves_without_device(facts)), None)


def moves_without_device(facts: Facts) -> list[ast.Call]:
    """Every ``x.cuda()`` of a file that needs a GPU, and for which no device is at hand."""

    def find() -> list[ast.Call]:
        calls = [call for call in facts.names.nodes.get(ast.Call, ()) if isinstance(call, ast.Call)]
        return [
            call
            for call in sorted(calls, key=start_of)
            if is_move(call, facts) and is_movable(call, facts)
            if not needs_gpu_anyway(call, facts)
            if not is_meant_for_gpu(call, facts) and device_at_hand(call, facts) is None
        ]

    return facts.remembered(".cuda() without a device", find)
