"""Where everything of a file goes that goes to the GPU: decided once, for all of it or nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import field

from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.programs.spelling import imports_torch
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need
from torchfix_codemods.rules.devices.questions.device_at_hand import AtHand, device_at_hand
from torchfix_codemods.rules.devices.questions.device_names import free_name
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import choice_of_gpu
from torchfix_codemods.rules.devices.questions.gpu.raw_memory import hands_on_memory
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_by_moving, is_of_a_module
from torchfix_codemods.rules.devices.questions.known_moves import is_movable, is_move
from torchfix_codemods.rules.devices.questions.plan.kept_guards import guard_that_stays
from torchfix_codemods.rules.devices.questions.plan.left_moves import (
    said_beside,
    said_of_unknown,
    said_without_device,
    said_without_torch,
)
from torchfix_codemods.rules.devices.questions.plan.object_flags import DEVICE
from torchfix_codemods.rules.devices.questions.plan.switches import switches_of
from torchfix_codemods.rules.devices.questions.written_places import needs_gpu_anyway


@record
class Made:
    """A device that is to be defined."""

    name: str
    flag: Flag | None
    """What tells whether it is the GPU; None: whether there is CUDA."""
    needs: tuple[Need, ...]


@record
class DevicePlan:
    """What is written for the moves of a file to the GPU: for all of them, or for none."""

    devices: Mapping[ast.Call, AtHand] = field(default_factory=dict)
    """Where each of them goes; empty: all of them stay as they are."""
    made: Mapping[ast.Call, Made] = field(default_factory=dict)
    """The devices that have to be defined, by the moves that name them."""
    said: Mapping[ast.Call, str] = field(default_factory=dict)
    """What a person can do where they stay."""

    def needs_of(self, call: ast.Call) -> tuple[Need, ...]:
        """What has to be defined for a move."""
        return self.made[call].needs if call in self.made else ()


def device_plan(facts: Facts) -> DevicePlan | None:
    """The plan of a file; None where nothing moves."""
    return facts.remembered(device_plan, lambda: _plan(facts))


def _plan(facts: Facts) -> DevicePlan | None:
    calls = sorted(_moves(facts), key=start_of)
    if not calls or hands_on_memory(facts):
        return DevicePlan() if calls else None
    hands = {call: device_at_hand(call, facts) for call in calls}
    if any(needs_gpu_anyway(call, facts) for call, hand in hands.items() if hand is None):
        # What is beside them can only be told of where a device is at hand.
        return DevicePlan(said=said_of_unknown([c for c in calls if hands[c]], facts))
    stays = [c for c in calls if not (is_move(c, facts) and is_movable(c, facts))]
    if stays:
        said = said_beside(calls, stays[0], facts)
        return DevicePlan(said={**said, **said_of_unknown(stays, facts)})
    without = [call for call, hand in hands.items() if hand is None]
    made = _made_for(without, facts) if without else {}
    if isinstance(made, DevicePlan):
        return made
    new = {call: AtHand(device.name, is_of_neighbour=False) for call, device in made.items()}
    devices = {call: hand or new[call] for call, hand in hands.items()}
    texts: dict[ast.AST, str] = {call: device.text for call, device in devices.items()}
    test = guard_that_stays(texts, {device.name for device in made.values()}, facts)
    if test is not None:
        return DevicePlan(said=said_beside(calls, test, facts))
    return DevicePlan(devices, made)


def _moves(facts: Facts) -> Iterator[ast.Call]:
    """All ``x.cuda()``, also those that stay: to a GPU by its number, or as a class says."""
    for call in facts.names.method_calls("cuda"):
        if not is_of_a_module(call, facts) and not asks_by_moving(call, facts):
            yield call


def _made_for(calls: list[ast.Call], facts: Facts) -> dict[ast.Call, Made] | DevicePlan:
    """The devices to define for moves that have none at hand; a plan that says why none can be."""
    name, spelling = free_name(facts), spell(facts, "torch.device", facts.tree)
    if name is None or spelling is None or not imports_torch(facts):
        return DevicePlan(said=said_without_torch(calls, facts))
    switches = switches_of(calls, facts)
    own = dict.fromkeys(calls) if isinstance(switches, ast.expr) else switches
    flags = {call: flag or choice_of_gpu(spelling.text, facts) for call, flag in own.items()}
    said = said_without_device(calls, flags[calls[0]], facts)
    if said is not None:
        return DevicePlan(said=said)
    if isinstance(switches, ast.expr):
        return DevicePlan(said=said_beside(calls, switches, facts))
    names = {c: DEVICE if flag and flag.is_of_object else name for c, flag in flags.items()}
    made = {}
    for call, flag in flags.items():
        definition = definition_of_device(names[call], spelling.text, flag)
        made[call] = Made(names[call], flag, (*spelling.needs, definition))
    return made
