"""The memory of tensors on a GPU that is handed to kernels of one's own."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.gpu_moves import moves_to_default_gpu


def hands_on_memory(facts: Facts) -> bool:
    """Whether a file takes the ``data_ptr()`` of what it moves to the GPU, as for kernels of CUDA.

    Two that are compared only tell whether they are one memory.
    """
    return facts.remembered("memory handed on", lambda: _finds_memory(facts))


def _finds_memory(facts: Facts) -> bool:
    calls = [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    ]
    pointed = {
        ast.unparse(call.func.value)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "data_ptr"
        if not isinstance(facts.parent(call), ast.Compare)
    }
    moved = (_targets(call, facts) for call in calls if moves_to_default_gpu(call))
    return bool(pointed) and not all(map(pointed.isdisjoint, moved))


def _targets(call: ast.Call, facts: Facts) -> set[str]:
    """What the value of a call is assigned."""
    statement = facts.parent(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return {ast.unparse(target) for target in targets}
