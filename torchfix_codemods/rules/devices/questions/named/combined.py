"""The tensor that a new one is calculated with: its device is the one that is meant."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.layers import is_of_loss
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.rules.devices.questions.named.there import is_there
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
    if not is_new_tensor(call.func.value, facts):
        return None
    partner = _partner_of_made(statement, statement, facts)
    return None if partner is None else f"{partner}.device"


def device_of_calculated(statement: ast.stmt, facts: Facts) -> str | None:
    """``y.device`` where a statement makes a tensor that is only used to calculate with ``y``.

    Args:
        statement: ``x = torch.randn(n)``, on whatever device, or a choice between two of those.
        facts: the facts of the module.
    """
    if not isinstance(statement, ast.Assign):
        return None
    made = statement.value
    halves = [made.body, made.orelse] if isinstance(made, ast.IfExp) else [made]
    if not all(is_new_tensor(half, facts) for half in halves):
        return None
    partner = _partner_of_made(statement, statement, facts)
    return None if partner is None else f"{partner}.device"


def _partner_of_made(statement: ast.Assign, made: ast.stmt, facts: Facts) -> str | None:
    """The one tensor that all is calculated with which a statement gives a name.

    Args:
        statement: what gives the name, ``made`` or ``x = Variable(x)`` below that.
        made: where the tensor is made.
        facts: the facts of the module.
    """
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or len(statement.targets) > 1:
        return None
    partners = {_partner_of(use, made, facts) for use in uses_given_by(facts, statement, target.id)}
    return partners.pop() if len(partners) == 1 else None


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
    used: ast.expr = use
    above = facts.parent(use)
    while isinstance(above, ast.Call) and facts.name(above.func) == VARIABLE and not above.keywords:
        used, above = above, facts.parent(above)
    if isinstance(above, ast.Assign) and above.value is used and above is not made:
        return _partner_of_made(above, made, facts)
    other = _other_operand(used, facts)
    root = None if other is None or _moves(other) else _root(other, facts)
    if other is None or root is None:
        return None
    if not facts.is_tensor(other) or not facts.is_tensor(root):
        return None
    bound = facts.flow.reaching(root)
    if not bound or {*bound} != {*facts.flow.reaching_before(made, root.id)}:
        return None
    if not is_there(root.id, bound, made, facts):
        return None
    # One without dimensions may stay on the CPU beside those of the GPU.
    is_new = any(b.value is not None and is_new_tensor(b.value, facts) for b in bound)
    return None if is_new else root.id


def _other_operand(used: ast.expr, facts: Facts) -> ast.expr | None:
    """``y`` of ``x + y``, ``y.mul(x)`` and ``torch.mul(x, y)``."""
    above = facts.parent(used)
    if isinstance(above, ast.BinOp):
        return above.right if above.left is used else above.left
    is_method = isinstance(above, ast.Attribute) and above.value is used
    call = facts.parent(above) if is_method and above is not None else above
    if not isinstance(call, ast.Call) or is_opaque(call):
        return None
    name = facts.name(call.func) or ""
    operands = [*call.args]
    if isinstance(call.func, ast.Attribute) and not name:
        name, operands = call.func.attr, [call.func.value, *operands]
    if used not in operands[:2] or len(operands) < 2 or not _takes_two(name):
        return None
    return operands[1] if operands[0] is used else operands[0]


def _takes_two(name: str) -> bool:
    """Whether an operation calculates with two tensors of one device: ``mul``, ``torch.add``."""
    is_one = torch_effects.calculates(name) and not torch_effects.may_do(name, "selects", "chooses")
    return is_one and torch_effects.count_recorded(name) == 2


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
