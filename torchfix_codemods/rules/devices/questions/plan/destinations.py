"""Where the moves of a file to the GPU go: all of them, or none."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import field

from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.programs.spelling import imports_torch, spelling
from torchfix_codemods.record import record
from torchfix_codemods.rule import Definition, Need
from torchfix_codemods.rules.devices.questions.device_at_hand import AtHand, device_at_hand
from torchfix_codemods.rules.devices.questions.gpu.early_imports import is_asked_too_early
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import is_lost_without_gpu
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import choice_of_gpu
from torchfix_codemods.rules.devices.questions.gpu.raw_memory import hands_on_memory
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_by_moving, is_of_a_module
from torchfix_codemods.rules.devices.questions.known_moves import is_movable, is_move
from torchfix_codemods.rules.devices.questions.named.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.named.project_device import project_device
from torchfix_codemods.rules.devices.questions.plan.inherited_moves import (
    files_of_bases_that_move,
)
from torchfix_codemods.rules.devices.questions.plan.kept_guards import (
    guard_that_stays,
    leaves_rest,
)
from torchfix_codemods.rules.devices.questions.plan.object_flags import DEVICE, as_given
from torchfix_codemods.rules.devices.questions.plan.own_movers import (
    has_own_mover,
    imports_own_mover,
)
from torchfix_codemods.rules.devices.questions.plan.same_switch import name_of_answer
from torchfix_codemods.rules.devices.questions.plan.self_checks import self_check_around
from torchfix_codemods.rules.devices.questions.plan.switches import switches_of, tests_of
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
class Destinations:
    """The devices that the moves of a file go to; none where all of them stay as they are."""

    devices: Mapping[ast.Call, AtHand] = field(default_factory=dict)
    """Where each of them goes."""
    made: Mapping[ast.Call, Made] = field(default_factory=dict)
    """The devices that have to be defined, by the moves that name them."""


def moves_of(facts: Facts) -> list[ast.Call]:
    """All ``x.cuda()``, also those that stay: to a GPU by its number, or as a class says."""
    calls = facts.names.method_calls("cuda")
    moves = (c for c in calls if not is_of_a_module(c, facts) and not asks_by_moving(c, facts))
    return sorted(moves, key=start_of)


def destinations_of(facts: Facts) -> Destinations:
    """Where the moves of a file go."""
    return facts.remembered(destinations_of, lambda: _decide_with_bases(facts))


def _decide_with_bases(facts: Facts) -> Destinations:
    """None where a class that moves has a base in another file whose own moves stay as they are.

    What the methods of the one move to the GPU is used with what those of the other move.
    """
    found = _own_destinations(facts)
    stays = any(
        not _own_destinations(there).devices
        for there in files_of_bases_that_move(found.devices, facts)
    )
    return Destinations() if stays else found


def _own_destinations(facts: Facts) -> Destinations:
    return facts.remembered(_own_destinations, lambda: _decide(facts))


def _decide(facts: Facts) -> Destinations:
    calls = moves_of(facts)
    if not calls or hands_on_memory(facts):
        return Destinations()
    hands = {call: device_at_hand(call, facts) for call in calls}
    if any(needs_gpu_anyway(call, facts) for call, hand in hands.items() if hand is None):
        return Destinations()
    if not all(is_move(call, facts) and is_movable(call, facts) for call in calls):
        return Destinations()
    if not all(hands.values()):
        # A device that has to be defined is that of the weights as well.
        hands = {c: None if hand and hand.is_of_weights else hand for c, hand in hands.items()}
    made, hands = _made_for_some(hands, facts)
    chosen = [call for call in calls if is_on_chosen_gpu(call, facts)]
    if made is None or not all(call in made and made[call].is_switched for call in chosen):
        return Destinations()
    if is_lost_without_gpu(facts) and not all(each.is_switched for each in made.values()):
        return Destinations()
    is_new = any(each.needs and not each.is_switched for each in made.values())
    # One move alone is no reason for a device where the project's own way is at hand.
    if is_new and (has_own_mover(facts) or (len(made) == 1 and imports_own_mover(facts))):
        return Destinations()
    new = {call: AtHand(device.name, is_of_neighbour=False) for call, device in made.items()}
    devices = {call: hand or new[call] for call, hand in hands.items()}
    texts: dict[ast.AST, str] = {call: device.text for call, device in devices.items()}
    if guard_that_stays(texts, {device.name for device in made.values()}, facts) is not None:
        return Destinations()
    if len(calls) == 1 and any(each.needs for each in made.values()):
        # A device for one move is no gain where its guard is torn apart for that.
        if leaves_rest(calls[0], texts[calls[0]], facts):
            return Destinations()
    return Destinations(devices, made)


def _made_for_some(
    hands: dict[ast.Call, AtHand | None], facts: Facts
) -> tuple[dict[ast.Call, Made] | None, dict[ast.Call, AtHand | None]]:
    """The devices to define where some moves have none at hand, and what the others go on with.

    One function says where things go in one way, if it can: all of its moves name the device that
    one of them needs. So do those under the same guards in the rest of the file, and the methods
    of a class whose ``__init__`` puts its own tensors there.
    """
    without = [call for call, hand in hands.items() if hand is None]
    if not without:
        return {}, hands
    functions = {facts.names.enclosing_function(call) for call in without} - {None}
    near = [c for c, hand in hands.items() if hand and _names_with(c, functions, facts)]
    guarded = [
        c for c, hand in hands.items() if hand and hand.is_of_neighbour and tests_of(c, facts)
    ]
    for beside in ({*near, *guarded} if guarded else (), near):
        together = _made_for([c for c in hands if c in without or c in beside], facts)
        if beside and together is not None:
            return together, {c: None if c in beside else hand for c, hand in hands.items()}
    return _made_for(without, facts), hands


def _names_with(call: ast.Call, functions: Collection[ast.AST | None], facts: Facts) -> bool:
    """Whether the function of a move is one of some, or the ``__init__`` of its class is."""
    owner = facts.names.enclosing_class(call)
    start = None if owner is None else facts.classes.method(owner, "__init__")
    return facts.names.enclosing_function(call) in functions or start in functions


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
    if not any(flags.values()) and not written.needs:
        place = self_check_around(calls, facts)
        if place is not None and spelling(facts, calls[0], "torch.device") == written.text:
            line = definition_of_device(name, written.text, None).text
            return dict.fromkeys(calls, Made(name, None, (Definition(line, None, place),)))
    names = {c: DEVICE if flag and flag.is_of_object else name for c, flag in flags.items()}
    made, answer = {}, name_of_answer(calls, facts)
    for call, flag in flags.items():
        given = answer if flag is None else as_given(flag, facts)
        definition = definition_of_device(names[call], written.text, given)
        made[call] = Made(names[call], flag, (*written.needs, definition))
    return made


def _is_too_early(calls: list[ast.Call], flag: Flag | None, facts: Facts) -> bool:
    """Whether the module level cannot make a device by a flag above all moves."""
    if is_asked_too_early(flag, facts):
        return True
    if flag is None or flag.after is None or flag.function is not None:
        return False
    return not all(runs_after(call, flag.after, facts) for call in calls)
