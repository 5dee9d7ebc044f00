"""Guards that have to stay around moves, whatever is written for those."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.neighbours import follows_input
from torchfix_codemods.rules.devices.questions.plan.guard_shapes import Moves, device_of_same, freed
from torchfix_codemods.rules.devices.questions.plan.same_switch import chooses_device
from torchfix_codemods.rules.devices.questions.plan.switches import chooses_place

_CHOICES = (ast.If, ast.IfExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def guard_that_stays(
    devices: Mapping[ast.AST, str], new: Collection[str], facts: Facts
) -> ast.expr | None:
    """The test of a guard that has to stay around one of some moves.

    Args:
        devices: the moves of a file, each with the device that is to be written.
        new: the names of devices that are still to be made by the tests around the moves.
        facts: the facts of the module.
    """
    moves = Moves(facts, devices.get, is_planned=True)
    for guard in dict.fromkeys(guard for move in devices for guard in _guards(move, facts)):
        device = _device_of_freed(guard, moves)
        if device is None:
            return guard.test
        if device not in new and not chooses_device(guard.test, device, guard, facts):
            if not follows_input(guard.test, device, guard, facts):
                return guard.test
    return None


def leaves_rest(move: ast.Call, device: str, facts: Facts) -> bool:
    """Whether ``if cuda: net.cuda(); print("on the GPU")`` would stay for the other line."""
    moves = Moves(facts, lambda call: device if call is move else None, is_planned=True)
    guards = (guard for guard in _guards(move, facts) if isinstance(guard, ast.If))
    parts = [(freed(guard, moves), len(guard.body)) for guard in guards]
    return any(part is not None and part.above + part.below < size for part, size in parts)


def _guards(move: ast.AST, facts: Facts) -> list[ast.If | ast.IfExp]:
    """What chooses by the device around a move, in its function."""
    guards: list[ast.If | ast.IfExp] = []
    child = move
    for parent in facts.names.ancestors(move):
        if isinstance(parent, _DEFINITIONS):
            break
        if isinstance(parent, _CHOICES) and child is not parent.test:
            if chooses_place(parent, facts):
                guards.append(parent)
        child = parent
    return guards


def _device_of_freed(guard: ast.If | ast.IfExp, moves: Moves) -> str | None:
    """The device of what a guard moves, where it goes or leaves the moves alone."""
    if isinstance(guard, ast.IfExp):
        return device_of_same([guard.body], [guard.orelse], moves)
    parts = freed(guard, moves)
    return None if parts is None else parts.device
