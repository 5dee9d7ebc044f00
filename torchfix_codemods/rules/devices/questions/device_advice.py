"""What is said where a device has to be made by hand."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.rules.devices.questions.cuda_flags import (
    is_cuda_available,
    module_flag,
    without_not,
)
from torchfix_codemods.rules.devices.questions.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.gpu.early_imports import place_of_device
from torchfix_codemods.rules.devices.questions.late_settings import (
    late_setter,
    late_setter_before,
)
from torchfix_codemods.rules.devices.questions.plan.switches import other_switch, switch_tests
from torchfix_codemods.text.wording import worded


def with_device(moves: Sequence[ast.Call], facts: Facts) -> str:
    """What to write for ``x.cuda()`` where a device has to be made.

    The program's own flag makes it where the moves see it; where that is not certain, its test is
    named. Nothing may ask for CUDA before the GPU is chosen, nor before processes are forked.

    Args:
        moves: the moves that are told of together.
        facts: the facts of the module.
    """
    name = _name_for(moves, facts)
    tests = [test for test in switch_tests(facts) if not _numbers_gpu(test, facts)]
    if tests:
        return f"{moved_to(name, moves)}{_by_flag(name, tests, moves, facts)}"
    place = place_of_device(moves, facts)
    if place is not None:
        return f"{moved_to(name, moves)}, with a device made {place}"
    other = other_switch(facts)
    is_flag = other is not None and module_flag(other, facts) is not None
    if other is not None and is_flag and not _numbers_gpu(other, facts):
        made = _made_by_tests(name, [other], moves, facts)
        if made is not None:
            return f"{moved_to(name, moves)}, with {made}"
    spelling = spell(facts, "torch.device", moves[0])
    device = spelling.text if spelling else "torch.device"
    line = definition_of_device(name, device, None).text.removeprefix("... = ")
    is_there = spelling is not None and not spelling.needs
    return f"{moved_to(name, moves)}, with {'' if is_there else 'import torch and '}{line}"


def moved_to(device: str, moves: Sequence[ast.Call]) -> str:
    """``write x.to(device)`` for one ``x.cuda()``, and ``write .to(device)`` for several."""
    moved = moves[0].func.value if isinstance(moves[0].func, ast.Attribute) else None
    flags = {_flag_given(move) for move in moves}
    given, kept = device, ", keeping non_blocking" if len(flags) > 1 else ""
    if len(flags) == 1:
        given += flags.pop()
    if moved is None or len(moves) > 1 or not worded(moved, ""):
        return f"write .to({given}){kept}"
    return f"write {ast.unparse(ast.Attribute(moved, 'to'))}({given})"


def _flag_given(move: ast.Call) -> str:
    """``, non_blocking=True`` of ``x.cuda(non_blocking=True)``."""
    given = argument(move, None, "non_blocking")
    return "" if given is None else f", non_blocking={ast.unparse(given)}"


def _name_for(moves: Sequence[ast.Call], facts: Facts) -> str:
    """A name for the device of some moves: ``device``, if nothing around them is called so."""
    name = facts.device_name
    if any(facts.names.scope_of(move).lookup(name) is not None for move in moves):
        return free_name(facts) or "..."
    return name


def _by_flag(name: str, tests: Sequence[ast.expr], moves: Sequence[ast.Call], facts: Facts) -> str:
    flag = without_not(tests[0])
    known = module_flag(tests[0], facts)
    if late_setter(flag, facts) is not None:
        setter, text = late_setter_before(moves, flag, facts), ast.unparse(flag)
        when = f"once {text} is set" if setter is None else f"after {setter} has set {text}"
        return f", with a device made {when}"
    if known is not None and known.after is not None and known.function is None:
        if any(not runs_after(move, known.after, facts) for move in moves):
            line = facts.origin(known.after.end_lineno or known.after.lineno)
            return f", with a device made after line {line} has set {known.text}"
    made = _made_by_tests(name, tests, moves, facts)
    if made is not None:
        return f", with {made}"
    asked = worded(flag, "for the device")
    return f"; line {facts.origin(tests[0].lineno)} asks {asked} first"


def _made_by_tests(
    name: str, tests: Sequence[ast.expr], moves: Sequence[ast.Call], facts: Facts
) -> str | None:
    """The line that makes a device by a flag, where all tests ask it, and all moves see it."""
    lines = {_made_by_test(name, test, move, facts) for test in tests for move in moves}
    made = lines.pop()
    if lines or made is None:
        return None
    return f"{made}, as line {facts.origin(tests[0].lineno)} asks"


def _numbers_gpu(test: ast.expr, facts: Facts) -> bool:
    """Whether a test is for the number of a GPU, as ``if args.gpu: set_device(args.gpu)``.

    GPU 0 is one as well, so that the test does not tell whether to use one.
    """
    return any(
        facts.parent(facts.statement(call)) is facts.parent(test)
        and ast.unparse(argument(call, 0, "device") or call) == ast.unparse(test)
        for call in facts.names.method_calls("set_device")
    )


def _made_by_test(name: str, test: ast.expr, call: ast.Call, facts: Facts) -> str | None:
    """The line that makes a device by a flag of the file; None where ``call`` does not see it.

    Args:
        name: the name of the device.
        test: what a guard elsewhere in the file asks.
        call: the move that needs the device.
        facts: the facts of the module.
    """
    flag, spelling = without_not(test), spell(facts, "torch.device", call)
    is_flag = isinstance(flag, (ast.Name, ast.Attribute)) or is_cuda_available(flag, facts)
    root = first_name(flag)
    if root is not None and is_self(facts, root) and ast.unparse(flag).count(".") > 1:
        # Which options an object was given is known to who made it.
        return None
    asked = _asked_at(test, call, facts) if is_flag else None
    if spelling is None or spelling.needs or asked is None:
        return None
    return f'{name} = {spelling.text}("cuda" if {asked} else "cpu")'


def _asked_at(test: ast.expr, call: ast.Call, facts: Facts) -> str | None:
    """What asks at a call what a test elsewhere does; None where its names mean another thing.

    ``self.gpu`` in the methods of a class whose ``__init__`` is given ``gpu`` and keeps it.
    """
    unseen = [
        node
        for node in ast.walk(test)
        if isinstance(node, ast.Name) and not _is_seen(node, call, facts)
    ]
    if not unseen:
        return facts.segment(test)
    flag = without_not(test)
    kept = _kept_at(unseen[0], call, facts) if unseen == [first_name(flag)] else None
    if kept is None:
        return None
    text = kept + ast.unparse(flag).removeprefix(unseen[0].id)
    return text if flag is test else f"not {text}"


def _is_seen(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether a name means the same at a call; one that is bound nowhere is Python's own."""
    there = facts.names.scope_of(name).lookup(name.id)
    here = facts.names.scope_of(call).lookup(name.id)
    if there is None or here is None:
        return there is here
    return there[0] is here[0] or (is_self(facts, name) and _is_in_class(name, call, facts))


def _kept_at(name: ast.Name, call: ast.Call, facts: Facts) -> str | None:
    """``self.gpu`` of the ``gpu`` of an ``__init__``, in another method of its class."""
    init, owner = facts.names.enclosing_function(name), facts.names.enclosing_class(call)
    method = facts.names.enclosing_function(call)
    if not isinstance(init, ast.FunctionDef) or init.name != "__init__" or init not in _own(owner):
        return None
    if not isinstance(method, ast.FunctionDef) or method not in _own(owner) or method is init:
        return None
    assert owner is not None
    for attribute in facts.classes.attribute_names(owner):
        sources = facts.classes.attribute_sources(owner, attribute)
        values = [source.value for source in sources]
        if len(values) == 1 and isinstance(value := values[0], ast.Name) and value.id == name.id:
            if not sources[0].path and facts.names.enclosing_function(value) is init:
                return f"{facts.classes.self_name(method)}.{attribute}"
    return None


def _own(owner: ast.ClassDef | None) -> list[ast.stmt]:
    return [] if owner is None else owner.body


def _is_in_class(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether a call stands in a method of the class whose ``self`` a name is."""
    method = facts.names.enclosing_function(call)
    if method is None or facts.names.enclosing_class(name) is not facts.names.enclosing_class(call):
        return False
    return isinstance(method, ast.FunctionDef) and facts.classes.self_name(method) == name.id
