"""The tensor that a new one is calculated with: its device is the one that is meant."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.layers import is_of_loss
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.rules.devices.questions.neighbours import is_new_tensor


def device_of_partner(call: ast.Call, facts: Facts) -> str | None:
    """``y.device`` where all that a new tensor is used for is to calculate with ``y``.

    ``grid = torch.zeros(3).cuda()`` above ``y[0] + grid``. So it is with any tensor that a loss of
    torch gets: ``criterion(y, target.cuda())``.

    Args:
        call: what moves the tensor.
        facts: the facts of the module.

    Returns:
        None where it may be used for something else, or with what is not certainly a tensor that
        the move sees.
    """
    assert isinstance(call.func, ast.Attribute)
    beside = _beside_in_loss(call, facts)
    if beside is not None:
        return f"{beside}.device"
    statement = facts.statement(call)
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or len(statement.targets) > 1:
        return None
    if not is_new_tensor(call.func.value, facts):
        return None
    partners = {
        _partner_of(use, statement, facts) for use in uses_given_by(facts, statement, target.id)
    }
    partner = partners.pop() if len(partners) == 1 else None
    return None if partner is None else f"{partner}.device"


def _beside_in_loss(call: ast.Call, facts: Facts) -> str | None:
    """``y`` of ``criterion(y, target.cuda())``: a loss takes both from one device."""
    loss = facts.parent(call)
    if not isinstance(loss, ast.Call) or call not in loss.args or is_opaque(loss):
        return None
    if len(loss.args) != 2 or not is_of_loss(facts.inference, loss):
        return None
    other = loss.args[1 - loss.args.index(call)]
    root = _root(other, facts)
    if root is None or _moves(other):
        return None
    # What it gets is a tensor, whatever is known of it.
    return root.id if root is other or facts.is_tensor(root) else None


def _moves(node: ast.expr) -> bool:
    """Whether something is moved on the way: ``y.cuda()[0]``."""
    return any(
        torch_effects.moves_or_casts(part.attr)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute)
    )


def _partner_of(use: ast.Name, made: ast.stmt, facts: Facts) -> str | None:
    """The tensor that ``use`` is calculated with, which has the same value where it was made."""
    above = facts.parent(use)
    if not isinstance(above, ast.BinOp):
        return None
    other = above.right if above.left is use else above.left
    root = _root(other, facts)
    if root is None or not facts.is_tensor(other) or not facts.is_tensor(root):
        return None
    bound = facts.flow.reaching(root)
    if not bound or {*bound} != {*facts.flow.reaching_before(made, root.id)}:
        return None
    # One without dimensions may stay on the CPU beside those of the GPU.
    is_new = any(b.value is not None and is_new_tensor(b.value, facts) for b in bound)
    return None if is_new else root.id


def _root(node: ast.expr, facts: Facts) -> ast.Name | None:
    """``y`` of ``y``, ``y[0]``, ``y.view(2)`` and ``torch.sigmoid(y[0])``."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call) and (facts.name(node.func) or "").startswith("torch."):
            if len(node.args) != 1:
                return None
            node = node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return None
    return node
