"""What the code knows of a tensor that was squeezed."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.taken_numbers import takes_one_number
from torchfix_codemods.rules.tensors.questions.minded_dimensions import still_without

_DIMENSIONS = frozenset({"dim", "ndim", "ndimension", "shape"})
_COUNTS = frozenset({"numel", "nelement"})


def is_asked_for_dimensions(call: ast.Call, facts: Facts) -> bool:
    """Whether the code asks how many dimensions are left, or has one number for certain.

    ``if x.dim() > 1`` below, and ``autograd.grad(x, …)``, which takes nothing else.
    """
    return follow([Place(facts, call)], _asks_for_dimensions) is not None


def is_shut_out(call: ast.Call, minding: Use, facts: Facts) -> bool:
    """Whether a use of found indices stands under a question for the dimensions of what has lost
    one with them: ``if len(scores.shape) == 0: … else: labels[kept]``, of ``scores[i]``.

    Args:
        call: ``x.squeeze()``, which gives the indices.
        minding: the use that needs the dimension.
        facts: the file of the call.
    """
    around = {*minding.facts.names.ancestors(minding.node)}

    def asks(use: Use) -> Iterable[Place] | None:
        asked = use.facts.parent(use.node)
        if use.kind in ("attribute", "method") and _is_compared_dimension(asked, use.facts):
            statement = use.facts.names.statement(use.node)
            if isinstance(statement, ast.If) and statement in around:
                return None
        return still_without(use, finds=True)

    return follow([Place(facts, call)], asks) is not None


def _asks_for_dimensions(use: Use) -> Iterable[Place] | None:
    if use.kind == "method" and isinstance(use.by, ast.Call):
        if takes_one_number(use.by):
            return None
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        if use.facts.name(use.by.func) == "torch.autograd.grad":
            is_one = argument(use.by, 2, "grad_outputs") is None
            return None if is_one and argument(use.by, 0, "outputs") is use.node else ()
    if use.kind in ("attribute", "method"):
        return None if _is_compared_dimension(use.facts.parent(use.node), use.facts) else ()
    if use.kind == "argument":
        return use.taken()
    is_same = use.kind in ("bound", "chosen", "element", "returned", "unpacked")
    return use.onward() if is_same else ()


def _is_compared_dimension(asked: ast.AST | None, facts: Facts) -> bool:
    """``x.dim() == 1``, ``x.ndim > 0``, ``len(x.shape) == 0``, and ``x.numel() > 1``."""
    if not isinstance(asked, ast.Attribute) or asked.attr not in _DIMENSIONS | _COUNTS:
        return False
    around = facts.parent(asked)
    is_counted = asked.attr == "shape"
    if isinstance(around, ast.Call) and (around.args == [asked] if is_counted else not around.args):
        around = facts.parent(around)
    elif is_counted:
        return False
    if not isinstance(around, ast.Compare):
        return False
    return asked.attr in _DIMENSIONS or constant(around.comparators[0]) == 1
