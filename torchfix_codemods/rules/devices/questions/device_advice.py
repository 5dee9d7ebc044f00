"""What is said where a device has to be made by hand."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    module_flag,
    without_not,
)
from torchfix_codemods.rules.devices.questions.flags.late_settings import (
    late_setter,
)
from torchfix_codemods.rules.devices.questions.flags.seen_flags import (
    asked_by,
    is_bound_nowhere,
    is_constant,
    is_left_on,
)
from torchfix_codemods.rules.devices.questions.named.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.named.other_devices import names_another_device
from torchfix_codemods.rules.devices.questions.named.project_device import project_device
from torchfix_codemods.rules.devices.questions.plan.switches import (
    other_switch,
    switch_tests,
)
from torchfix_codemods.text.wording import worded


def with_device(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """What to write for ``x.cuda()`` where a device has to be made.

    The device of a file that is imported does as well. The program's own switch makes one where all
    moves see it.

    Args:
        moves: the moves that are told of together.
        facts: the facts of the module.

    Returns:
        None where that is not certain: where no switch is seen, or it may be set later, or is a
        constant, or the file speaks of another device as well.
    """
    test = _test_for(moves, facts)
    if test is None:
        kept = None if switch_tests(facts) else _kept_for(moves, facts)
        return None if kept is None else moved_to(kept, moves)
    asked = _asked_by_all(test, moves, facts)
    spelling, name = spell(facts, "torch.device", moves[0]), _name_for(moves, facts)
    if asked is None or name is None or spelling is None:
        return None
    # A star import of a file of the project may bring torch.
    if spelling.needs and facts.names.name_left("torch") != "torch":
        return None
    if is_constant(test, facts) or _is_set_later(test, moves, facts):
        return None
    if names_another_device(test, asked, facts):
        return None
    choice = f'"cuda" if {asked} else "cpu"'
    return f"{moved_to(name, moves)}, with {name} = {spelling.text}({choice})"


def unseen_switch(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """What a method of the class around some moves is given as its switch, which they do not see.

    ``args.use_gpu is in __init__``, which does not keep it. A device that asks for something else
    would go against it.

    Args:
        moves: the moves that are told of together.
        facts: the facts of the module.
    """
    test = _test_for(moves, facts)
    owner = None if test is None else facts.names.enclosing_class(test)
    method = None if test is None else facts.names.enclosing_function(test)
    if test is None or owner is None or not isinstance(method, ast.FunctionDef):
        return None
    if is_left_on(test, facts):
        return None
    root = first_name(test) if isinstance(test, (ast.Name, ast.Attribute)) else None
    if root is None or root.id not in [given.arg for given in method.args.args[1:]]:
        return None
    if _asked_by_all(test, moves, facts) is not None:
        return None
    is_of_class = all(facts.names.enclosing_class(move) is owner for move in moves)
    return f"{ast.unparse(test)} is in {method.name}" if is_of_class else None


def _kept_for(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """The device that a file which is imported keeps, where all moves see it."""
    kept = {project_device(move, facts) for move in moves}
    return kept.pop() if len(kept) == 1 else None


def _test_for(moves: Sequence[ast.Call], facts: Facts) -> ast.expr | None:
    """A test for a flag by which the file goes to the GPU, if it has one."""
    if tests := [test for test in switch_tests(facts) if _is_switch(test, facts)]:
        return tests[0] if len({_asked_by_all(t, moves, facts) for t in tests}) == 1 else None
    other = other_switch(facts)
    if other is None or module_flag(other, facts) is None or not _is_switch(other, facts):
        return None
    return other


def _is_set_later(test: ast.expr, moves: Sequence[ast.Call], facts: Facts) -> bool:
    """Whether a flag of the file is set by another file, or below what moves."""
    if late_setter(without_not(test), facts) is not None:
        return True
    known = module_flag(test, facts)
    if known is None or known.after is None or known.function is not None:
        return False
    return any(not runs_after(move, known.after, facts) for move in moves)


def _asked_by_all(test: ast.expr, moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """What asks at all moves what a test elsewhere does; None where not all see its flag."""
    asked = {asked_by(test, move, facts) for move in moves}
    return asked.pop() if len(asked) == 1 else None


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


def _name_for(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """A name for the device of some moves: ``device``, if nothing around them is called so."""
    name = facts.device_name
    if any(facts.names.scope_of(move).lookup(name) is not None for move in moves):
        return free_name(facts)
    return name


def _is_switch(test: ast.expr, facts: Facts) -> bool:
    """Whether a test can be asked for a device: it tells whether to use a GPU, and it runs."""
    return not _numbers_gpu(test, facts) and not is_bound_nowhere(test, facts)


def _numbers_gpu(test: ast.expr, facts: Facts) -> bool:
    """Whether a test is for the number of a GPU, as ``if args.gpu: set_device(args.gpu)``.

    GPU 0 is one as well, so that the test does not tell whether to use one.
    """
    return any(
        facts.parent(facts.statement(call)) is facts.parent(test)
        and ast.unparse(argument(call, 0, "device") or call) == ast.unparse(test)
        for call in facts.names.method_calls("set_device")
    )
