"""What a transformation of torchvision gives: ``transforms.Compose([…, ToTensor()])(image)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.values.lattice import UNKNOWN, Tensor, Value

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

_MAX_DEPTH = 6


def result_of(inference: Inference, function: ast.expr) -> Value:
    """What calling a transformation gives: a tensor without history, where it ends in one."""
    if _makes(inference, function, "ToTensor"):
        return Tensor(ndim=3, contiguous=True, grad=False)
    return UNKNOWN


def _makes(inference: Inference, node: ast.expr, wanted: str, depth: int = 0) -> bool:
    """Whether an expression is certainly ``ToTensor()``, or several steps that end in it.

    With ``wanted`` as ``Normalize``, which gives a tensor of the same kind, that alone.
    """
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        bindings = inference.flow.reaching(node)
        return bool(bindings) and all(
            binding.kind == "assign"
            and not binding.path
            and binding.value is not None
            and _makes(inference, binding.value, wanted, depth + 1)
            for binding in bindings
        )
    if not isinstance(node, ast.Call):
        return False
    module, _, function = (inference.names.name(node.func) or "").rpartition(".")
    if module != "torchvision.transforms":
        return False
    if function != "Compose" or wanted == "Normalize":
        return function == wanted
    steps = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(steps, (ast.List, ast.Tuple)):
        return False
    for step in reversed(steps.elts):
        if not _makes(inference, step, "Normalize", depth + 1):
            return _makes(inference, step, "ToTensor", depth + 1)
    return False
