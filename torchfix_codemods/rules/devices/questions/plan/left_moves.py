"""What is said of ``.cuda()`` that stays as it is, since all of a file go together or none."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.rules.devices.questions.cuda_flags import (
    is_cuda_available,
    without_not,
)
from torchfix_codemods.rules.devices.questions.default_moves import (
    first_without_device,
    moves_without_device,
)
from torchfix_codemods.rules.devices.questions.device_advice import (
    below_choice,
    made_by_hand,
    made_by_test,
    made_where_asked,
    written_by_hand,
)
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.gpu.early_imports import (
    chosen_elsewhere,
    is_asked_too_early,
    place_for_device,
)
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import needs_gpu_for_more
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import (
    choices_of_gpu,
    chooser_after_import,
)
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_moves import moved_value, moves_to_default_gpu
from torchfix_codemods.rules.devices.questions.known_moves import (
    is_known_move,
    is_movable,
    is_move,
)
from torchfix_codemods.rules.devices.questions.late_settings import late_setter
from torchfix_codemods.rules.devices.questions.plan.switches import switch_tests

Said = dict[ast.Call, str]


def said_of_unknown(calls: Iterable[ast.Call], facts: Facts) -> Said:
    """What to write for each ``x.cuda()`` of which it is not known what x is."""
    return {
        call: written_by_hand(call, call.func.value, facts)
        for call in calls
        if isinstance(call.func, ast.Attribute) and is_move(call, facts)
        if not is_movable(call, facts) and isinstance(moved_value(call, facts), Unknown)
    }


def said_beside(calls: Iterable[ast.Call], reason: ast.expr, facts: Facts) -> Said:
    """What the first move is told that would go, but for another one or a test in the file.

    Args:
        calls: the moves of the file.
        reason: the other move, or the test.
        facts: the facts of the module.
    """
    first = next((c for c in calls if c is not reason and _would_go(c, facts)), None)
    if first is None:
        return {}
    choices = choices_of_gpu(facts)
    if choices:
        return {first: below_choice(choices[-1], facts)}
    line, known = facts.origin(reason.lineno), device_at_hand(first, facts)
    name = "device" if known is None else known.text
    if not isinstance(reason, ast.Call) or reason not in calls:
        if known is not None:
            return {first: f"write .to({name})"}
        is_left_out = is_cuda_available(reason, facts) and bool(switch_tests(facts))
        is_left_out = is_left_out or _numbers_gpu(reason, facts)
        made = None if is_left_out else made_by_test(name, reason, first, facts)
        setter = late_setter(without_not(reason), facts)
        if setter is not None:
            return {first: made_where_asked(name, reason, setter, facts)}
        asked = "" if made is None else f", as line {line} asks"
        return {first: f"write .to({name}), with {made or made_by_hand(name, first, facts)}{asked}"}
    both = f"write .to({name}) here and in line {line}{_why_it_stays(reason, facts)}"
    made = f", with {made_by_hand(name, first, facts)}" if known is None else ""
    rest = "; another run writes the rest" if _has_rest(calls, (first, reason), facts) else ""
    return {first: f"{both}{made}{rest}"}


def _numbers_gpu(test: ast.expr, facts: Facts) -> bool:
    """Whether a test is for the number of a GPU, as ``if args.gpu: set_device(args.gpu)``.

    GPU 0 is one as well, so that the test does not tell whether to use one.
    """
    return any(
        facts.parent(facts.statement(call)) is facts.parent(test)
        and ast.unparse(argument(call, 0, "device") or call) == ast.unparse(test)
        for call in facts.names.method_calls("set_device")
    )


def _has_rest(calls: Iterable[ast.Call], told: tuple[ast.Call, ast.Call], facts: Facts) -> bool:
    """Whether there are other moves, and all of them go once those that are told of are written."""
    others = [call for call in calls if call not in told]
    return any(is_known_move(call, facts) for call in others) and all(
        is_move(call, facts) and is_movable(call, facts) for call in others
    )


def _would_go(call: ast.Call, facts: Facts) -> bool:
    return (
        is_move(call, facts)
        and is_movable(call, facts)
        and not is_meant_for_gpu(call, facts)
        and not needs_gpu_for_more(call, facts)
    )


def _why_it_stays(call: ast.Call, facts: Facts) -> str:
    """Why a move is left to a person; nothing where a finding of its own writes it out."""
    if not moves_to_default_gpu(call):
        return ", which names a GPU"
    if not is_move(call, facts):
        return ", in a function of that name"
    if isinstance(moved_value(call, facts), Module):
        return ", where a class moves in its own way"
    is_written_out = call in said_of_unknown([call], facts) and is_told(call, facts)
    return "" if is_written_out else ", where it is not known what moves there"


def is_told(call: ast.Call, facts: Facts) -> bool:
    """Whether a move that stays is told of: not where it is meant to need a GPU, or may be."""
    return (
        not is_meant_for_gpu(call, facts)
        and not _may_be_own(call, facts)
        and not needs_gpu_for_more(call, facts)
    )


def _may_be_own(call: ast.Call, facts: Facts) -> bool:
    """Whether a class of the project may have the method that is called.

    It may ask for a GPU itself.
    """
    assert isinstance(call.func, ast.Attribute)
    is_known = not isinstance(facts.value(call.func.value), Unknown)
    return not is_known and may_be_of_project(facts.names, "cuda")


def said_without_torch(calls: Iterable[ast.Call], facts: Facts) -> Said:
    """Where the file itself does not import torch, or no name for a device is free."""
    choices, chooser = choices_of_gpu(facts), chooser_after_import(facts)
    if not choices and chooser is None:
        name = free_name(facts) or "..."
        return {
            call: f"write .to({name}), with {made_by_hand(name, call, facts)}" for call in calls
        }
    elsewhere = "" if chooser is None else chosen_elsewhere(chooser)
    return _told_once(below_choice(choices[-1], facts) if choices else elsewhere, facts)


def said_without_device(calls: Iterable[ast.Call], flag: Flag | None, facts: Facts) -> Said | None:
    """Where the module level cannot make a device above all moves; None where it can."""
    if is_asked_too_early(flag, facts):
        told, advice = place_for_device(moves_without_device(facts), flag, facts)
        return {} if told is None else {told: advice}
    if flag is None or flag.after is None or flag.function is not None:
        return None
    early = [call for call in calls if not runs_after(call, flag.after, facts)]
    if not early:
        return None
    if facts.parent(flag.after) is not facts.tree:
        # Said once: all others need the same device.
        return _told_once(below_choice(flag.after, facts), facts)
    line = facts.origin(flag.after.end_lineno or flag.after.lineno)
    return dict.fromkeys(early, f"write .to(...) with a device that is made below line {line}")


def _told_once(advice: str, facts: Facts) -> Said:
    first = first_without_device(facts)
    return {} if first is None else {first: advice}
