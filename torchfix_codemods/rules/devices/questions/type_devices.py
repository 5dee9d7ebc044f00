"""The device that a tensor type of the GPU stands for."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.facts.language.nodes import same_expression, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.programs.placement import definition_of
from torchfix_codemods.facts.programs.spelling import imports_torch
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    flag_of_device,
    is_cuda_available,
    module_flag,
)
from torchfix_codemods.rules.devices.questions.gpu.early_imports import is_asked_too_early
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import is_lost_without_gpu
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import choice_of_gpu
from torchfix_codemods.rules.devices.questions.gpu_types import (
    CPU_TYPE_OF,
    is_type_call,
    kind_of,
)
from torchfix_codemods.rules.devices.questions.named.device_names import (
    device_at,
    free_name,
    runs_after,
)
from torchfix_codemods.rules.devices.questions.named.project_device import project_device
from torchfix_codemods.rules.devices.questions.neighbours import tensor_beside
from torchfix_codemods.rules.devices.questions.plan.device_plan import (
    all_moves_stay,
    moves_go_first,
)
from torchfix_codemods.rules.devices.questions.plan.same_switch import name_of_answer
from torchfix_codemods.rules.devices.questions.plan.switches import other_switch, tests_of
from torchfix_codemods.rules.devices.questions.type_halves import (
    halves_say_the_same,
    has_other_half,
    tensor_for,
)
from torchfix_codemods.rules.questions.wrapped_makers import is_to_be_unwrapped


def device_of_type(node: ast.Call, test: ast.expr | None, facts: Facts) -> Spelling | None:
    """The device that a type stands for: one that the file has, or a definition of a new one.

    In one half of a choice whose other half makes things on the CPU, it is ``"cuda"`` where none
    of them says what the choice asks, and no ``.cuda()`` of the file stays. None as long as moves
    of the file are to be rewritten: where one of them turns out to stay, all of them do, and a new
    device would stand beside them.
    """
    if moves_go_first(facts):
        return None
    tests = tests_of(node, facts)
    if not tests:
        return _device_for(node, test, facts)
    is_made = facts.name(node.func) in CPU_TYPE_OF
    if not is_made or is_to_be_unwrapped(node, facts) or not has_other_half(tests[0], facts):
        # The test has to stay: it chooses a type as well.
        return None
    if len(tests) == 1 and halves_say_the_same(tests[0], facts):
        beside = tensor_for(node, tests[0], facts)
        known = _device_for(node, tests[0], facts) if beside is None else Spelling(beside)
        if known is not None:
            return known
    return None if all_moves_stay(facts) else Spelling('"cuda"')


def waits_for_gpu_half(call: ast.Call, facts: Facts) -> bool:
    """Whether what is made on the CPU in one half stays, as the same on the GPU in the other does.

    That is so as long as moves of the file are to be rewritten, and for good beside those that all
    stay. The halves would no longer say the same.
    """
    choices = [
        choice
        for choice in facts.names.ancestors(call)
        if isinstance(choice, (ast.If, ast.IfExp)) and halves_say_the_same(choice.test, facts)
    ]
    if not choices or moves_go_first(facts):
        return bool(choices)
    return all_moves_stay(facts) and any(
        isinstance(made, ast.Call)
        and facts.name(made.func) in CPU_TYPE_OF
        and device_of_type(made, None, facts) is None
        for choice in choices
        for part in (choice.body if isinstance(choice, ast.If) else [choice.body])
        for made in walk(part)
    )


def _device_for(node: ast.AST, test: ast.expr | None, facts: Facts) -> Spelling | None:
    if all_moves_stay(facts):
        return None
    known = device_at(node, facts)
    if known is not None:
        if test is None:
            return Spelling(known)
        own = flag_of_device(definition_of(known, node, facts), facts)
        return Spelling(known) if own is not None and _is_same(own, test, facts) else None
    if test is None and is_lost_without_gpu(facts):
        return Spelling('"cuda"')
    beside = _tensor_at_hand(node, facts) if test is None else None
    if beside is not None:
        return Spelling(f"{beside}.device")
    name, spelling = free_name(facts), spell(facts, "torch.device", facts.tree)
    if name is None or spelling is None or not imports_torch(facts):
        return None
    kept = project_device(node, facts) if test is None and other_switch(facts) is None else None
    if kept is not None:
        return Spelling(kept)
    chosen = choice_of_gpu(spelling.text, facts)
    if chosen is not None and chosen.function is not None:
        return None
    flag_here = _flag(test, chosen, facts)
    if flag_here is None:
        return None
    flag = flag_here[0]
    if flag is not None and flag.after is not None and not runs_after(node, flag.after, facts):
        return None
    if is_asked_too_early(flag, facts):
        return None
    if test is None and other_switch(facts) is not None:
        return None
    if _has_several_flags(facts):
        return None
    given = name_of_answer([node], facts) if flag is None else flag
    return Spelling(name, (*spelling.needs, definition_of_device(name, spelling.text, given)))


def _tensor_at_hand(node: ast.AST, facts: Facts) -> str | None:
    """A parameter where a method makes a tensor by its type, if it needs a device for nothing else.

    What is cast to a type follows no other tensor, and one function names one device.
    """
    method = facts.names.enclosing_function(node)
    casts = (call for call in facts.names.method_calls("type") if is_type_call(call))
    if any(
        facts.names.enclosing_function(cast) is method and kind_of(cast.args[0], facts) is not None
        for cast in casts
    ):
        return None
    return tensor_beside(node, facts)


def _flag(test: ast.expr | None, chosen: Flag | None, facts: Facts) -> tuple[Flag | None] | None:
    """The flag of a new device; None where there is one that cannot be used."""
    if test is None:
        return (chosen,)
    if is_cuda_available(test, facts):
        return (chosen if chosen is not None and "is_available" in chosen.text else None,)
    flag = module_flag(test, facts)
    return None if flag is None else (flag,)


def _has_several_flags(facts: Facts) -> bool:
    """Whether the types of the file are chosen by several flags."""
    tests = {
        ast.dump(choice.test)
        for choice in facts.names.nodes.get(ast.IfExp, ())
        if isinstance(choice, ast.IfExp) and kind_of(choice, facts) is not None
    }
    return len(tests) > 1


def _is_same(flag: ast.expr, test: ast.expr, facts: Facts) -> bool:
    if is_cuda_available(flag, facts) or is_cuda_available(test, facts):
        return is_cuda_available(flag, facts) and is_cuda_available(test, facts)
    return same_expression(flag, test)
