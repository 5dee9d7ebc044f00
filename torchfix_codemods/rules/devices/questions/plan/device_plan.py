"""What is written, and what is said, of all of a file that goes to the GPU."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need
from torchfix_codemods.rules.devices.questions.device_at_hand import AtHand
from torchfix_codemods.rules.devices.questions.gpu.raw_memory import hands_on_memory
from torchfix_codemods.rules.devices.questions.plan.destinations import (
    Made,
    destinations_of,
    moves_of,
)
from torchfix_codemods.rules.devices.questions.plan.left_moves import said_of, said_otherwise


@record
class DevicePlan:
    """What is written for the moves of a file to the GPU: for all of them, or for none."""

    devices: Mapping[ast.Call, AtHand] = field(default_factory=dict)
    """Where each of them goes; empty: all of them stay as they are."""
    made: Mapping[ast.Call, Made] = field(default_factory=dict)
    """The devices that have to be defined, by the moves that name them."""
    said: Mapping[ast.Call, str] = field(default_factory=dict)
    """What a person can do where they stay."""

    def otherwise(self, call: ast.Call, facts: Facts) -> str | None:
        """What is said of a move that is to be rewritten, where it has to stay after all."""
        key = self.__class__.otherwise
        return facts.remembered(key, lambda: said_otherwise(self.devices, facts)).get(call)

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


def moves_go_first(facts: Facts) -> bool:
    """Whether moves of a file are to be rewritten: only then is it known that none had to stay."""
    plan = device_plan(facts)
    return plan is not None and bool(plan.devices)


def _plan(facts: Facts) -> DevicePlan | None:
    calls = moves_of(facts)
    if not calls or hands_on_memory(facts):
        return DevicePlan() if calls else None
    found = destinations_of(facts)
    said = {} if found.devices else said_of(calls, facts)
    return DevicePlan(found.devices, found.made, said)
