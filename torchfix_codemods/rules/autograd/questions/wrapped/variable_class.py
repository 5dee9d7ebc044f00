"""What the class `Variable` takes, and what it has no more since tensors have it."""

from __future__ import annotations

import ast
import operator

from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts

#: What ``Variable`` takes, in old and in today's torch.
_TAKES = ("data", "requires_grad", "volatile", "_grad_fn", "name")


def why_refused(call: ast.Call, facts: Facts) -> str | None:
    """What to say of ``Variable(x, require_grad=True)``, which no torch takes; None elsewhere."""
    refused = [keyword for keyword in call.keywords if keyword.arg not in _TAKES]
    if not refused:
        return None
    told = f"Variable() takes no {refused[0].arg}= and raises"
    if "grad" in (refused[0].arg or ""):
        return f"{told}: write requires_grad={facts.segment(refused[0].value)}"
    return told


def holds_method(node: ast.expr, facts: Facts) -> bool:
    """Whether a method of tensors is asked of the class, or given to it: ``Variable.chunk(x, 2)``.

    Not where the code chooses between ``Variable`` and ``Tensor`` by itself.
    """
    method = facts.parent(node)
    if not isinstance(method, ast.Attribute) or not _is_of_tensors(method.attr):
        return False
    return not is_guarded(facts, node, "Tensor")


def _is_of_tensors(name: str) -> bool:
    """Whether tensors have a method of that name, or an operator, that not every class has."""
    is_operator = hasattr(operator, name) or hasattr(operator, name.replace("__r", "__", 1))
    if name.startswith("__"):
        return is_operator and not hasattr(type, name)
    return torch_effects.is_known(f"torch.Tensor.{name}")
