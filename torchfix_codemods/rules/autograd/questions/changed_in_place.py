"""Where the very tensor is changed in place that an expression holds."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import BEFORE_INPLACE
from torchfix_codemods.facts.values.lattice import Module

#: Methods that end as those in place do, and leave the tensor with its graph as it is.
_HARMLESS = frozenset({"requires_grad_", "share_memory_"})

#: Layers whose only argument is ``inplace``.
_ONLY_IN_PLACE = frozenset(f"torch.nn.{name}" for name in ("ReLU", "ReLU6", "SELU"))


def change_by(use: ast.expr, facts: Facts) -> ast.expr | None:
    """What certainly changes a tensor, or a part of it, in place that is used there.

    ``q.mul_(2)``, ``q[0].mul_(2)``, ``q[0]`` where something is stored in it,
    ``F.relu(q, inplace=True)``, and a layer that works in place; ``q *= 2`` is a statement.
    """
    parent = facts.parent(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return parent if isinstance(parent.ctx, ast.Store) else change_by(parent, facts)
    if isinstance(parent, ast.Call) and parent.args and parent.args[0] is use:
        return parent if _writes_first(parent, facts) else None
    if not isinstance(parent, ast.Attribute) or not _is_in_place(parent.attr):
        return None
    call = facts.parent(parent)
    return call if isinstance(call, ast.Call) and call.func is parent else None


def _writes_first(call: ast.Call, facts: Facts) -> bool:
    """``F.relu(q, inplace=True)``, ``torch.relu_(q)``, ``nn.ReLU(True)(q)``."""
    name = facts.name(call.func)
    if name is None:
        layer = facts.value(call.func)
        made = layer.call if isinstance(layer, Module) and layer.definition is None else None
        before = 0 if isinstance(layer, Module) and layer.cls in _ONLY_IN_PLACE else None
        return made is not None and _is_told_to(made, before)
    module, _, function = name.rpartition(".")
    if module not in ("torch", "torch.nn.functional"):
        return False
    return _is_in_place(function) or _is_told_to(call, BEFORE_INPLACE.get(function))


def _is_told_to(call: ast.Call, before: int | None) -> bool:
    """Whether ``inplace=True`` is given, by its name or behind ``before`` arguments."""
    by_place = [] if before is None else call.args[before : before + 1]
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        by_place = []
    by_name = [keyword.value for keyword in call.keywords if keyword.arg == "inplace"]
    return any(constant(given) is True for given in (*by_place, *by_name))


def _is_in_place(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__") and method not in _HARMLESS
