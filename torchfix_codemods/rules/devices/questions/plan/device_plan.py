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
from torchfix_codemods.facts.programs.spelling import imports_torch, spelling
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need
from torchfix_codemods.rules.devices.questions.device_at_hand import AtHand, device_at_hand
from torchfix_codemods.rules.devices.questions.gpu.early_imports import is_asked_too_early
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import is_lost_without_gpu
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import choice_of_gpu
from torchfix_codemods.rules.devices.questions.gpu.raw_memory import hands_on_memory
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_by_moving, is_of_a_module
from torchfix_codemods.rules.devices.questions.known_moves import is_movable, is_move
from torchfix_codemods.rules.devices.questions.named.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.named.project_device import project_device
from torchfix_codemods.rules.devices.questions.plan.kept_guards import guard_that_stays
from torchfix_codemods.rules.devices.questions.plan.left_moves import said_of
from torchfix_codemods.rules.devices.questions.plan.object_flags import DEVICE
from torchfix_codemods.rules.devices.questions.plan.switches import switches_of
from torchfix_codemods.rules.devices.questions.written_places import (
    is_on_chosen_gpu,
    needs_gpu_anyway,
)


@record
class Made:
    """A device that is to be defined, or that a file of the project keeps."""

    name: str
    flag: Flag | None
    """What tells whether it is the GPU; None: whether there is CUDA."""
    needs: tuple[Need, ...]

    @property
    def is_switched(self) -> bool:
        """Whether a switch of the program's own decides it: ``"cuda" if use_cuda else "cpu"``."""
        return self.flag is not None and not self.flag.asks_for_cuda


@record
class DevicePlan:
    """What is written for the moves of a file to the GPU: for all of them, or for none."""

    devices: Mapping[ast.Call, AtHand] = field(default_factory=dict)
    """Where each of them goes; empty: all of them stay as they are."""
    made: Mapping[ast.Call, Made] = field(default_factory=dict)
    """The devices that have to be defined, by the moves that name them."""
    said: Mapping[ast.Call, str] = field(default_factory=dict)
    """What a person can do where they stay."""

    @property
    def runs_anywhere(self) -> bool:
        """Whether a file that needed a GPU runs without one, once this is written."""
        return any(device.flag is None for device in self.made.values())

    def needs_of(self, call: ast.Call) -> tuple[Need, ...]:
        """What has to be defined for a move."""
        return self.made[call].needs if call in self.made else ()


def device_plan(facts: Facts) -> DevicePlan | None:
    """The plan of a file; None where nothing moves."""
    return facts.remembered(device_plan, lambda: _plan(facts))


def all_moves_stay(facts: Facts) -> bool:
    """Whether a file has ``.cuda()`` that stays: a device would say the same in a second way."""
    plan = device_plan(facts)
    return plan is not None and not plan.devices


def _plan(facts: Facts) -> DevicePlan | None:
    calls = sorted(_moves(facts), key=start_of)
    if not calls or hands_on_memory(facts):
        return DevicePlan() if calls else None
    hands = {call: device_at_hand(call, facts) for call in calls}
    if any(needs_gpu_anyway(call, facts) for call, hand in hands.items() if hand is None):
        return DevicePlan(said=said_of(calls, facts))
    if not all(is_move(call, facts) and is_movable(call, facts) for call in calls):
        return DevicePlan(said=said_of(calls, facts))
    without = [call for call, hand in hands.items() if hand is None]
    made = _made_for(without, facts) if without else {}
    chosen = [call for call in calls if is_on_chosen_gpu(call, facts)]
    if made is None or not all(call in made and made[call].is_switched for call in chosen):
        return DevicePlan(said=said_of(calls, facts))
    if is_lost_without_gpu(facts) and not all(each.is_switched for each in made.values()):
        return DevicePlan(said=said_of(calls, facts))
    new = {call: AtHand(device.name, is_of_neighbour=False) for call, device in made.items()}
    devices = {call: hand or new[call] for call, hand in hands.items()}
    texts: dict[ast.AST, str] = {call: device.text for call, device in devices.items()}
    if guard_that_stays(texts, {device.name for device in made.values()}, facts) is not None:
        return DevicePlan(said=said_of(calls, facts))
    return DevicePlan(devices, made)


def _moves(facts: Facts) -> Iterator[ast.Call]:
    """All ``x.cuda()``, also those that stay: to a GPU by its number, or as a class says."""
    for call in facts.names.method_calls("cuda"):
        if not is_of_a_module(call, facts) and not asks_by_moving(call, facts):
            yield call


def _made_for(calls: list[ast.Call], facts: Facts) -> dict[ast.Call, Made] | None:
    """The devices to define for moves that have none at hand; None where none can be."""
    name, written = free_name(facts), spell(facts, "torch.device", facts.tree)
    if name is None or written is None or not imports_torch(facts):
        return None
    if not written.needs and any(spelling(facts, call, "torch.device") is None for call in calls):
        # Its name is imported further down: nothing above the moves can make a device.
        return None
    switches = switches_of(calls, facts)
    if isinstance(switches, ast.expr):
        return None
    flags = {call: flag or choice_of_gpu(written.text, facts) for call, flag in switches.items()}
    kept = {call: project_device(call, facts) for call in calls if not any(flags.values())}
    if kept and all(kept.values()):
        return {call: Made(device, None, ()) for call, device in kept.items() if device}
    if _is_too_early(calls, flags[calls[0]], facts):
        return None
    names = {c: DEVICE if flag and flag.is_of_object else name for c, flag in flags.items()}
    made = {}
    for call, flag in flags.items():
        definition = definition_of_device(names[call], written.text, flag)
        made[call] = Made(names[call], flag, (*written.needs, definition))
    return made


def _is_too_early(calls: list[ast.Call], flag: Flag | None, facts: Facts) -> bool:
    """Whether the module level cannot make a device by a flag above all moves."""
    if is_asked_too_early(flag, facts):
        return True
    if flag is None or flag.after is None or flag.function is not None:
        return False
    return not all(runs_after(call, flag.after, facts) for call in calls)
