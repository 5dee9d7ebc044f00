"""Layers that follow one another in an ``nn.Sequential``, however they get into it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.facts.values.sequential import layers_in_order, sequential_with

#: What puts layers at the end of a list.
_ADDS = ("append", "extend")


def layer_before(facts: Facts, layer: ast.Call) -> ast.expr | None:
    """The layer whose result another one of an ``nn.Sequential`` gets.

    Args:
        facts: the facts of the module.
        layer: the call that builds the other one, written into ``nn.Sequential(…)``, into a list
            that one is made of, or into a call that adds it to either.

    Returns:
        None where it is none, or the first; where something stands between; and where it may be
        called by itself as well.
    """
    built, container = sequential_with(facts.names, layer), facts.parent(layer)
    if built is not None:
        layers = layers_in_order(facts.names, built)
        place = layers.index(layer)
        return layers[place - 1] if place else None
    if isinstance(container, (ast.List, ast.Tuple)):
        place, around = container.elts.index(layer), facts.parent(container)
        if place == 0 or not _is_for_sequential(facts, container, around):
            return None
        return container.elts[place - 1]
    if not isinstance(container, ast.Call) or layer not in container.args:
        return None
    method = container.func
    if not isinstance(method, ast.Attribute):
        return None
    if method.attr == "append" and isinstance(method.value, ast.Name):
        is_for_one = _ends_in_sequential(facts, method.value)
        return last_put(facts, method.value) if is_for_one else None
    return _added_before(facts, container)


def last_layer(facts: Facts, sequential: ast.Call) -> ast.expr | None:
    """The last layer of ``nn.Sequential(…)`` that is no activation, also of one made of a list.

    Args:
        facts: the facts of the module.
        sequential: the call that builds it.
    """
    layers = [*layers_in_order(facts.names, sequential)]
    while layers and _is_activation(facts, layers[-1]):
        layers.pop()
    last = layers[-1] if layers else None
    if not isinstance(last, ast.Starred):
        return last
    listed = last.value
    is_here = isinstance(listed, ast.Name) and listed in facts.names.parents
    return last_put(facts, listed) if is_here and isinstance(listed, ast.Name) else None


def _is_activation(facts: Facts, node: ast.expr) -> bool:
    layer = facts.value(node)
    return isinstance(layer, Module) and torch_effects.is_elementwise(layer.cls or "")


def last_put(facts: Facts, listed: ast.Name) -> ast.expr | None:
    """What is the last in a list, as the statements of the block above a use of its name show."""
    statement = facts.statement(listed)
    block = facts.block(statement)
    for above in reversed(block[: block.index(statement)]):
        if not any(isinstance(n, ast.Name) and n.id == listed.id for n in ast.walk(above)):
            continue
        return _put_by(above, listed.id)
    return None


def _put_by(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement puts at the end of a list, or makes it end with."""
    put: ast.expr | None = None
    if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call):
        method = call.func
        is_own = isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name)
        if is_own and isinstance(method, ast.Attribute) and len(call.args) == 1:
            put = call.args[0] if ast.unparse(method.value) == name else None
            if method.attr == "append":
                return put
            put = put if method.attr == "extend" else None
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        put = statement.value if ast.unparse(statement.target) == name else None
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        put = statement.value if ast.unparse(statement.targets[0]) == name else None
    return put.elts[-1] if isinstance(put, (ast.List, ast.Tuple)) and put.elts else None


def _is_for_sequential(facts: Facts, listed: ast.expr, around: ast.AST | None) -> bool:
    """Whether a written list goes into an ``nn.Sequential`` alone, at once or by a name."""
    if isinstance(around, ast.Starred):
        made = facts.parent(around)
        return isinstance(made, ast.Call) and _is_made_of(facts, made, around)
    if isinstance(around, ast.Assign) and around.value is listed and len(around.targets) == 1:
        target = around.targets[0]
    elif isinstance(around, ast.AugAssign) and around.value is listed:
        target = around.target
    elif isinstance(around, ast.Call) and around.args == [listed]:
        method = around.func
        is_added = isinstance(method, ast.Attribute) and method.attr == "extend"
        target = method.value if is_added and isinstance(method, ast.Attribute) else listed
    else:
        return False
    return isinstance(target, ast.Name) and _ends_in_sequential(facts, target)


def _ends_in_sequential(facts: Facts, listed: ast.Name) -> bool:
    """Whether all that is done with a list is to add to it, and to make an ``nn.Sequential``."""
    uses = [
        facts.parent(use) for use in facts.names.uses_of(facts.names.scope_of(listed), listed.id)
    ]
    made = [use for use in uses if isinstance(use, ast.Starred)]
    others = [use for use in uses if not isinstance(use, ast.Starred)]
    return (
        bool(made)
        and all(
            isinstance(call := facts.parent(one), ast.Call) and _is_made_of(facts, call, one)
            for one in made
        )
        and all(isinstance(one, ast.Attribute) and one.attr in _ADDS for one in others)
    )


def _is_made_of(facts: Facts, call: ast.Call, listed: ast.Starred) -> bool:
    return facts.name(call.func) == "torch.nn.Sequential" and call.args == [listed]


def _added_before(facts: Facts, added: ast.Call) -> ast.expr | None:
    """The layer that ``add_module`` adds right before another one.

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
