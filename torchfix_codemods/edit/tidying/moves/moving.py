"""What moves a tensor to a device, and what lies there before it."""

from __future__ import annotations

import ast
from typing import TypeGuard

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Device, Text

#: Under these another GPU is the one that ``x.cuda()`` moves to.
_CHOOSE_GPU = ("cuda.device(", "device_of", "cuda.stream", "import device")


def is_move(node: ast.expr, facts: Facts) -> TypeGuard[ast.Call]:
    """``x.to(device)``."""
    return is_move_at_leisure(node, facts) and not node.keywords


def is_move_at_leisure(node: ast.expr, facts: Facts) -> TypeGuard[ast.Call]:
    """``x.to(device, non_blocking=True)``, or ``x.to(device)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "to"
        and len(node.args) == 1
        and all(keyword.arg == "non_blocking" for keyword in node.keywords)
        and is_device(node.args[0], facts)
    )


def lies_on(made: ast.expr, device: ast.expr, facts: Facts) -> bool:
    """Whether what is made was moved to a device, or is a new tensor there."""
    if not isinstance(made, ast.Call):
        return False
    if is_move_at_leisure(made, facts):
        return ast.dump(made.args[0]) == ast.dump(device)
    given = [keyword.value for keyword in made.keywords if keyword.arg == "device"]
    is_new = (facts.name(made.func) or "").startswith("torch.") and facts.is_tensor(made)
    return is_new and [ast.dump(one) for one in given] == [ast.dump(device)]


def lies_there_already(node: ast.Assign, facts: Facts) -> bool:
    """Whether ``x = x.to(device)`` moves nothing, since all that x can be was made there.

    So does ``x = x.cuda()`` below another one.

    Args:
        node: the assignment.
        facts: the facts of the module.
    """
    if len(node.targets) != 1 or not moves_nothing(node.value, facts):
        return False
    assert isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    return ast.unparse(node.targets[0]) == ast.unparse(node.value.func.value)


def moves_nothing(move: ast.expr, facts: Facts) -> bool:
    """Whether all that ``x`` can be of ``x.to(device)`` was made there, or moved there before.

    Args:
        move: any expression.
        facts: the facts of the module.
    """
    if _is_cuda(move):
        return _lies_on_gpu(move, facts)
    if not is_move_at_leisure(move, facts):
        return False
    assert isinstance(move.func, ast.Attribute)
    moved, device = move.func.value, move.args[0]
    if not isinstance(moved, ast.Name) or not isinstance(device, ast.Name):
        return False
    made, known = facts.assigned(moved), facts.flow.reaching(device)
    if not made or len(known) != 1 or _may_differ_by_turn(known[0], facts):
        return False
    if _is_put_elsewhere(moved, facts):
        return False
    return all(
        lies_on(each, device, facts) and facts.flow.reaching(_device_in(each)) == known
        for each in made
    )


def _is_cuda(node: ast.expr) -> TypeGuard[ast.Call]:
    """``x.cuda()``, or ``x.cuda(non_blocking=True)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "cuda"
        and not node.args
        and all(keyword.arg == "non_blocking" for keyword in node.keywords)
    )


def _lies_on_gpu(move: ast.Call, facts: Facts) -> bool:
    """Whether all that ``x`` can be of ``x.cuda()`` is what that gave above, on the same GPU."""
    moved = move.func.value if isinstance(move.func, ast.Attribute) else move
    made = facts.assigned(moved) if isinstance(moved, ast.Name) else None
    if not made or not all(map(_is_cuda, made)) or not facts.is_tensor(move):
        return False
    assert isinstance(moved, ast.Name)
    is_chosen = facts.is_mentioned("set_device") or any(map(facts.speaks_of, _CHOOSE_GPU))
    return not is_chosen and not _is_put_elsewhere(moved, facts)


def _device_in(made: ast.expr) -> ast.Name:
    """The name of the device that something is made on, or moved to."""
    assert isinstance(made, ast.Call)
    given = [keyword.value for keyword in made.keywords if keyword.arg == "device"]
    name = given[0] if given else made.args[0]
    assert isinstance(name, ast.Name)
    return name


def _may_differ_by_turn(device: Binding, facts: Facts) -> bool:
    """Whether a loop may give a device another value in each of its turns."""
    is_given = device.kind in ("assign", "parameter")
    loops = (ast.For, ast.AsyncFor, ast.While)
    return not is_given or any(isinstance(a, loops) for a in facts.names.ancestors(device.node))


def _is_put_elsewhere(name: ast.Name, facts: Facts) -> bool:
    """Whether other memory may be given to a tensor itself: ``x.data = y``, ``x.set_(y)``."""
    around = map(facts.parent, facts.names.uses_of(facts.names.scope_of(name), name.id))
    return any(
        isinstance(part, ast.Attribute)
        and (isinstance(part.ctx, ast.Store) or part.attr in ("set_", "swap_tensors"))
        for part in around
    )


def is_device(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression certainly is a device, and no type and no tensor."""
    if isinstance(node, ast.Attribute) and node.attr == "device":
        return True
    return isinstance(constant(node), str) or isinstance(facts.value(node), (Device, Text))
