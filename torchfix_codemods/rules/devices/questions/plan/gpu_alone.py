"""Programs that run on a GPU alone, of which a bare fact tells nothing that could be followed."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import needs_gpu_for_more
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_moves import moved_value
from torchfix_codemods.rules.devices.questions.plan.destinations import destinations_of, moves_of
from torchfix_codemods.rules.questions.stateless import is_stateless

#: By what a project chooses between the GPU and the CPU.
_CHOICES = ("is_available", "torch.device", "map_location")


def runs_on_gpu_alone(moves: Collection[ast.Call], facts: Facts) -> bool:
    """Whether a file with moves that stay needs a GPU all the same, were these written otherwise.

    Another function of it moves beside what only a GPU has (``torch.cuda.synchronize()``), of which
    nothing is told. Or the project chooses no device: it asks nowhere whether there is a GPU, and
    all that its files move, models among that, goes to the GPU under no test and stays.

    Args:
        moves: the moves of the file that would be told of.
        facts: the facts of the module.
    """
    others = [call for call in moves_of(facts) if call not in moves]
    if any(needs_gpu_for_more(c, facts) and not is_meant_for_gpu(c, facts) for c in others):
        return True
    if any(map(facts.is_mentioned, _CHOICES)) or not _always_moves(facts):
        return False
    moving = [there for there in others_with("cuda", facts) if moves_of(there)]
    if not moving or not all(map(_always_moves, moving)):
        return False
    return any(_is_model(call, there) for there in (facts, *moving) for call in moves_of(there))


def _always_moves(facts: Facts) -> bool:
    """Whether all moves of a file stay, and none stands under a test for the GPU."""
    if destinations_of(facts).devices:
        return False
    return not any(is_meant_for_gpu(call, facts) for call in moves_of(facts))


def _is_model(call: ast.Call, facts: Facts) -> bool:
    """Whether a call moves a module with parameters; nothing else is moved in place."""
    assert isinstance(call.func, ast.Attribute)
    moved = moved_value(call, facts)
    if isinstance(moved, Module):
        return not is_stateless(facts, call.func.value)
    return isinstance(moved, Unknown) and isinstance(facts.parent(call), ast.Expr)
