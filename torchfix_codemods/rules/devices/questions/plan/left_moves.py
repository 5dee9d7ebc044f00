"""Which ``.cuda()`` are told of that stay as they are, since all of a file go together or none."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchfix_codemods.facts.evaluation.parameters import may_take
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.arguments import argument, constant, whole_number
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.rules.devices.questions.device_advice import (
    moved_to,
    unseen_switch,
    with_device,
)
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import mentions_cuda
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import needs_gpu_for_more
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_moves import moved_value
from torchfix_codemods.rules.devices.questions.known_moves import is_movable, is_move
from torchfix_codemods.rules.devices.questions.named.combined import device_of_partner
from torchfix_codemods.rules.devices.questions.plan.gpu_alone import asked_for
from torchfix_codemods.rules.devices.questions.written_places import needs_gpu_anyway
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.rules.questions.stateless import is_stateless

Said = dict[ast.Call, str]


def said_of(calls: Iterable[ast.Call], facts: Facts) -> Said:
    """What is said of some moves that stay: the fact, once, at the first of them.

    What to write is told where it is the same for all of them. Without that the fact is of use only
    where the program asks elsewhere whether to use a GPU.

    Args:
        calls: the moves of the file.
        facts: the facts of the module.
    """
    moves = [
        call
        for call in sorted(calls, key=lambda call: facts.origin(_line_of(call)))
        if is_told(call, facts)
        and not needs_gpu_anyway(call, facts)
        and not is_unreached(call, facts)
    ]
    if not moves:
        return {}
    fact = _fact(moves, facts)
    unsettled = [move for move in moves if not _runs_with_gpu(move, facts)]
    switch = unseen_switch(moves, facts) if unsettled else None
    if switch is not None:
        return {moves[0]: f"{fact}{',' if 'here' in fact else ''} whatever {switch}"}
    there = _proposed(moves, facts)
    if there is not None:
        return {moves[0]: f"{fact}: {there}"}
    asked, line = asked_for(unsettled, facts) if unsettled else ([], "")
    if not asked:
        return {}
    by_number = asked_for(_moves_by_number(facts), facts)[0] if line else []
    # Where the flag is seen by these alone, it makes a device for them.
    there = _proposed(asked, facts) if line and not by_number else None
    if there is not None:
        return {asked[0]: f"{_fact(asked, facts)}: {there}"}
    others = sorted([*asked[1:], *by_number], key=lambda call: facts.origin(_line_of(call)))
    fact = _fact([asked[0], *others], facts)
    only = f": move {'them' if 'here' in fact else 'it'} only then"
    moved = only if others else _moved_above(asked[0], facts) or only
    return {asked[0]: f"{fact}, though {line} asks whether to use one{moved}" if line else fact}


def _moved_above(move: ast.Call, facts: Facts) -> str:
    """``: line 8 moves x then, leave .cuda() out``, where ``x = x.cuda()`` hangs on a question."""
    name = move.func.value if isinstance(move.func, ast.Attribute) else None
    if not isinstance(name, ast.Name) or move.args or move.keywords:
        return ""
    for binding in facts.flow.reaching(name):
        above = facts.statement(binding.node)
        is_set = isinstance(above, ast.Assign)
        asks = is_set and any(mentions_cuda(t) for t, so in tests_around(facts.names, above) if so)
        if asks and any(
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "cuda"
            and ast.unparse(call.func.value) == name.id
            for call in ast.walk(above)
        ):
            line = line_named(above, facts, facts)
            return f": {line} moves {name.id} then, leave .cuda() out"
    return ""


def _runs_with_gpu(move: ast.Call, facts: Facts) -> bool:
    """Whether the function around a move says of what it calls that it is on a GPU: ``cuda=True``.

    What is told to ask whether to use one would have to ask there as well.
    """
    function = facts.names.enclosing_function(move)
    return function is not None and any(
        constant(given.value) is True and mentions_cuda(ast.Name(given.arg))
        for call in own_nodes(function)
        if isinstance(call, ast.Call)
        for given in call.keywords
        if given.arg is not None
    )


def _moves_by_number(facts: Facts) -> list[ast.Call]:
    """``x.cuda(0)``, which names a device, and needs it as much."""
    return [
        call
        for call in facts.names.method_calls("cuda")
        if len(call.args) == 1 and not call.keywords and whole_number(call.args[0]) is not None
        if _is_left_to_tell(call, facts)
        and not needs_gpu_anyway(call, facts)
        and not is_unreached(call, facts)
    ]


def _fact(moves: Sequence[ast.Call], facts: Facts) -> str:
    _, *others = dict.fromkeys(facts.origin(_line_of(move)) for move in moves)
    return f".cuda() needs a GPU{also_in(others, facts)}"


def said_otherwise(calls: Iterable[ast.Call], facts: Facts) -> Said:
    """What is said of moves that are to be rewritten, should no line be able to name the device.

    Once, where the same can be written for all of them; those of which nothing can be told but the
    fact are named together as well.

    Args:
        calls: the moves of the file that are to be rewritten.
        facts: the facts of the module.
    """
    moves = sorted(calls, key=lambda call: facts.origin(_line_of(call)))
    there = _proposed(moves, facts)
    if there is not None:
        return {moves[0]: f"{_fact(moves, facts)}: {there}"}
    own = {move: there for move in moves if (there := _proposed([move], facts)) is not None}
    said = {move: f".cuda() needs a GPU: {there}" for move, there in own.items()}
    others = [move for move in moves if move not in own]
    return {**said, others[0]: _fact(others, facts)} if others else said


def _proposed(moves: Sequence[ast.Call], facts: Facts) -> str | None:
    """What can be written for all of some moves; None where that is not certain."""
    known = {_known_device(move, facts) for move in moves}
    if known == {None}:
        return with_device(moves, facts)
    device = known.pop() if len(known) == 1 else None
    return None if device is None else moved_to(device, moves)


def _known_device(move: ast.Call, facts: Facts) -> str | None:
    """A device that the move can name, or that of the tensor which a new one is used with."""
    at_hand = device_at_hand(move, facts)
    return device_of_partner(move, facts) if at_hand is None else at_hand.text


def _line_of(move: ast.Call) -> int:
    """The line that ``.cuda()`` itself stands in."""
    return move.func.end_lineno or move.lineno


def is_told(call: ast.Call, facts: Facts) -> bool:
    """Whether a move that stays is told of: not where it is meant to need a GPU, or may be.

    Nor where a class of the project says what moving means, or may do so, nor of a loss without
    weights, which moves nothing and needs no GPU.
    """
    return is_move(call, facts) and _is_left_to_tell(call, facts)


def _is_left_to_tell(call: ast.Call, facts: Facts) -> bool:
    if is_meant_for_gpu(call, facts) or needs_gpu_for_more(call, facts):
        return False
    if isinstance(call.func, ast.Attribute) and is_stateless(facts, call.func.value):
        return False
    is_known = is_movable(call, facts) or isinstance(moved_value(call, facts), Unknown)
    return is_known and not _may_be_own(call, facts)


def _may_be_own(call: ast.Call, facts: Facts) -> bool:
    """Whether a class of the project may have the method that is called.

    It may ask for a GPU itself. What takes ``non_blocking=`` is torch's, unless it does as well.
    """
    assert isinstance(call.func, ast.Attribute)
    if not isinstance(facts.value(call.func.value), Unknown):
        return False
    if not may_be_of_project(facts.names, "cuda"):
        return False
    return argument(call, None, "non_blocking") is None or _is_taken(call, facts)


def _is_taken(call: ast.Call, facts: Facts) -> bool:
    """Whether a ``cuda`` of the project may be called so, or not all can be read."""
    if facts.files is not None and facts.files.mentioning("cuda") is None:
        return True
    return any(
        isinstance(function, ast.FunctionDef)
        and function.name == "cuda"
        and may_take(function, call, True)
        for there in (facts, *others_with("cuda", facts))
        for function in there.names.nodes.get(ast.FunctionDef, ())
    )
