"""What is said where a device has to be made by hand."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    is_cuda_available,
    module_flag,
    without_not,
)
from torchfix_codemods.rules.devices.questions.flags.late_settings import (
    late_setter,
)
from torchfix_codemods.rules.devices.questions.flags.seen_flags import (
    asked_by,
    is_always_set,
    is_bound_nowhere,
)
from torchfix_codemods.rules.devices.questions.gpu.early_imports import is_chosen_later
from torchfix_codemods.rules.devices.questions.named.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.named.project_device import project_device
from torchfix_codemods.rules.devices.questions.plan.switches import (
    other_switch,
    own_switches,
    switch_tests,
)
from torchfix_codemods.text.wording import worded


def with_device(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """What to write for ``x.cuda()`` where a device has to be made.

    The device of a file that is imported does as well. The program's own flag makes one where all
    moves see it, else whether there is a GPU. Where a line above would ask too early (before the
    flag is set, before the GPU is chosen, before processes are forked), each move asks, which
    needed a GPU at that time already.

    Args:
        moves: the moves that are told of together.
        facts: the facts of the module.

    Returns:
        None where the file has a flag of its own that the moves do not see: a device that asks for
        something else would go against it. So would one where that flag is the constant True.
    """
    test = _test_for(moves, facts)
    if test is not None and is_always_set(test, facts):
        return None
    if test is None and not switch_tests(facts) and (kept := _kept_for(moves, facts)) is not None:
        return moved_to(kept, moves)
    is_late = test is not None and _is_set_later(test, moves, facts)
    asked = None if test is None else _asked_by_all(test, moves, facts)
    if is_late and test is not None and not _is_bound(test, moves, facts):
        asked = None
    if test is not None and not is_late:
        # A line of the module level sees its flag, whatever is called so where it is used.
        asked = asked or _flag_of_file(test, facts)
    is_own = asked is not None and test is not None and not is_cuda_available(test, facts)
    is_early = is_late if is_own else is_chosen_later(moves, facts)
    spelling, name = spell(facts, "torch.device", moves[0]), _name_for(moves, facts)
    device = spelling.text if spelling else "torch.device"
    # A star import of a file of the project may bring it.
    is_there = (spelling and not spelling.needs) or facts.names.name_left("torch") == "torch"
    needs = "" if is_there else "import torch and "
    if asked is None and any(_is_switch(test, facts) for test in own_switches(facts)):
        return None
    asked = asked or f"{device.rpartition('.')[0] or 'torch'}.cuda.is_available()"
    choice = f'"cuda" if {asked} else "cpu"'
    if is_early or name is None:
        return f"{needs}{moved_to(choice, moves)}"
    return f"{moved_to(name, moves)}, with {needs}{name} = {device}({choice})"


def flag_seen(move: ast.Call, facts: Facts) -> str | None:
    """What asks at a move for the flag by which the file goes to the GPU; None if it cannot."""
    test = _test_for([move], facts)
    return None if test is None else asked_by(test, move, facts)


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
    root = first_name(test) if isinstance(test, (ast.Name, ast.Attribute)) else None
    if root is None or root.id not in [given.arg for given in method.args.args[1:]]:
        return None
    if _asked_by_all(test, moves, facts) is not None or _flag_of_file(test, facts) is not None:
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


def _flag_of_file(test: ast.expr, facts: Facts) -> str | None:
    """What the module level asks once it has set the flag of a test."""
    known = module_flag(test, facts)
    is_set = known is not None and known.after is not None and known.function is None
    return known.text if known is not None and is_set else None


def _is_set_later(test: ast.expr, moves: Sequence[ast.Call], facts: Facts) -> bool:
    """Whether a flag of the file is set by another file, or below what moves."""
    if late_setter(without_not(test), facts) is not None:
        return True
    known = module_flag(test, facts)
    if known is None or known.after is None or known.function is not None:
        return False
    return any(not runs_after(move, known.after, facts) for move in moves)


def _is_bound(test: ast.expr, moves: Sequence[ast.Call], facts: Facts) -> bool:
    """Whether the module level has certainly bound the name of a flag before each move runs."""
    root = first_name(without_not(test))
    found = None if root is None else facts.names.module.bindings.get(root.id)
    nodes = [binding.node for binding in found or ()]
    if not nodes or is_cuda_available(test, facts):
        return True
    statements = [node for node in nodes if isinstance(node, ast.stmt)]
    return all(any(runs_after(move, s, facts) for s in statements) for move in moves)


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
