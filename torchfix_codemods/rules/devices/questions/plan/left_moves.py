"""Which ``.cuda()`` are told of that stay as they are, since all of a file go together or none."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.rules.devices.questions.device_advice import (
    flag_seen,
    moved_to,
    unseen_switch,
    with_device,
)
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import needs_gpu_for_more
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_moves import moved_value
from torchfix_codemods.rules.devices.questions.known_moves import is_movable, is_move
from torchfix_codemods.rules.devices.questions.named.combined import device_of_partner
from torchfix_codemods.rules.devices.questions.written_places import needs_gpu_anyway
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.rules.questions.stateless import is_stateless

Said = dict[ast.Call, str]


def said_of(calls: Iterable[ast.Call], facts: Facts) -> Said:
    """What is said of some moves: once of all that go to the same device, at the first of them.

    Args:
        calls: the moves of the file.
        facts: the facts of the module.
    """
    together: dict[tuple[str | None, str | None], list[ast.Call]] = {}
    for call in sorted(calls, key=start_of):
        at_hand = device_at_hand(call, facts)
        known = device_of_partner(call, facts) if at_hand is None else at_hand.text
        if is_told(call, facts) and not (known is None and needs_gpu_anyway(call, facts)):
            where = (None, flag_seen(call, facts)) if known is None else (known, None)
            together.setdefault(where, []).append(call)
    said = {}
    for (device, _), moves in together.items():
        first = facts.origin(moves[0].lineno)
        lines = dict.fromkeys(facts.origin(move.lineno) for move in moves)
        others = also_in([line for line in lines if line != first], facts)
        switch = unseen_switch(moves, facts) if device is None else None
        if switch is not None:
            comma = "," if others else ""
            said[moves[0]] = f".cuda() needs a GPU{others}{comma} whatever {switch}"
            continue
        there = moved_to(device, moves) if device is not None else with_device(moves, facts)
        said[moves[0]] = _needs_gpu(there, others)
    return said


def alone(moves: Sequence[ast.Call], facts: Facts) -> str:
    """What is said of moves that cannot be rewritten where they stand."""
    return _needs_gpu(with_device(moves, facts))


def _needs_gpu(there: str | None, others: str = "") -> str:
    """The fact, with what to write where a device is known to go to."""
    return f".cuda() needs a GPU{others}" + (f": {there}" if there else "")


def is_told(call: ast.Call, facts: Facts) -> bool:
    """Whether a move that stays is told of: not where it is meant to need a GPU, or may be.

    Nor where a class of the project says what moving means, or may do so, nor of a loss without
    weights, which moves nothing and needs no GPU.
    """
    if not is_move(call, facts) or is_meant_for_gpu(call, facts) or needs_gpu_for_more(call, facts):
        return False
    if isinstance(call.func, ast.Attribute) and is_stateless(facts, call.func.value):
        return False
    is_known = is_movable(call, facts) or isinstance(moved_value(call, facts), Unknown)
    return is_known and not _may_be_own(call, facts)


def _may_be_own(call: ast.Call, facts: Facts) -> bool:
    """Whether a class of the project may have the method that is called.

    It may ask for a GPU itself.
    """
    assert isinstance(call.func, ast.Attribute)
    is_known = not isinstance(facts.value(call.func.value), Unknown)
    return not is_known and may_be_of_project(facts.names, "cuda")
