"""Layers that ``add_module`` puts into an ``nn.Sequential``, one behind the other."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module


def added_before(facts: Facts, added: ast.Call) -> ast.expr | None:
    """The layer whose result another one gets that is added right behind it.

    Args:
        facts: the facts of the module.
        added: ``net.add_module("softmax", nn.Softmax())``.

    Returns:
        None where that is no ``nn.Sequential``, where something stands between, and where the layer
        may be called by its name as well.
    """
    statement = facts.statement(added)
    block = facts.block(statement)
    place = block.index(statement)
    if place == 0 or not _adds(facts, statement) or not _adds(facts, block[place - 1]):
        return None
    above = block[place - 1]
    assert isinstance(above, ast.Expr) and isinstance(above.value, ast.Call)
    names = [constant(call.args[0]) for call in facts.names.method_calls("add_module") if call.args]
    name = constant(added.args[0])
    is_only = isinstance(name, str) and names.count(name) == 1
    if not is_only or ast.dump(above.value.func) != ast.dump(added.func):
        return None
    is_read = any(facts.name(use) is None for use in facts.names.attributes(str(name)))
    return None if is_read else above.value.args[1]


def _adds(facts: Facts, statement: ast.stmt) -> bool:
    """Whether a statement is ``net.add_module("name", layer)`` of an ``nn.Sequential``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr != "add_module" or is_opaque(call) or len(call.args) != 2:
        return False
    value = facts.value(call.func.value)
    is_named = isinstance(constant(call.args[0]), str)
    return is_named and isinstance(value, Module) and value.cls == "torch.nn.Sequential"
