"""Which activation a tensor certainly comes out of: softmax, its logarithm, a sigmoid, a layer."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.classes_elsewhere import function_of, method_of
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.language.scopes import Binding, Path, element_for
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.writes import is_modified
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Method, Module
from torchfix_codemods.record import record

_MAX_DEPTH = 12

_LAYERS = {
    "Softmax": "softmax",
    "Softmax2d": "softmax",
    "LogSoftmax": "log_softmax",
    "Softmin": "softmin",
    "Sigmoid": "sigmoid",
    "LogSigmoid": "logsigmoid",
    "Tanh": "tanh",
    "ReLU": "relu",
    "Linear": "linear",
}
_NAMES = frozenset({*_LAYERS.values(), "exp", "log"})


@record
class Activation:
    """What was last done to the numbers of a tensor."""

    kind: str
    """``"softmax"``, ``"log_softmax"``, ``"sigmoid"``, ``"log"``, ``"linear"``, …"""
    call: ast.Call
    """The call that did it."""
    facts: Facts
    """What is known of the file that holds the call."""


def activation_of(facts: Facts, node: ast.expr, depth: int = 0) -> Activation | None:
    """The activation whose results an expression holds; None where that is not certain."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Name):
        return _of_name(facts, node, depth + 1)
    if isinstance(node, ast.IfExp):
        return _agreed(activation_of(facts, n, depth + 1) for n in (node.body, node.orelse))
    if isinstance(node, ast.Subscript):
        return activation_of(facts, node.value, depth + 1) if facts.is_tensor(node) else None
    if isinstance(node, ast.Attribute) and _keeps(node.attr) and facts.is_tensor(node):
        return activation_of(facts, node.value, depth + 1)
    return _of_call(facts, node, (), depth + 1) if isinstance(node, ast.Call) else None


def _keeps(name: str) -> bool:
    """Whether a method or an attribute gives the same numbers in another shape or place."""
    return torch_effects.keeps_numbers(name) or torch_effects.hands_on(name)


def applied_by(facts: Facts, call: ast.Call) -> str | None:
    """The activation that a call itself applies, as a function, a method or a layer of torch."""
    name = facts.name(call.func)
    if name is not None:
        module, _, bare = name.rpartition(".")
        if module in ("torch", "torch.nn.functional") and bare in _NAMES:
            return bare
        return None
    method = call.func
    if isinstance(method, ast.Attribute) and method.attr in _NAMES:
        if facts.is_tensor(method.value):
            return method.attr
    if isinstance(method, ast.Attribute) and may_be_replaced(facts, method):
        return None
    layer = facts.value(method)
    if isinstance(layer, Module) and layer.origin is None and layer.definition is None:
        return _LAYERS.get((layer.cls or "").removeprefix("torch.nn."))
    return None


def _of_call(facts: Facts, call: ast.Call, path: Path, depth: int) -> Activation | None:
    applied = applied_by(facts, call)
    if applied is not None:
        return None if path else Activation(applied, call, facts)
    function = call.func
    if isinstance(function, ast.Attribute) and _keeps(function.attr):
        if facts.name(function) is None and facts.is_tensor(function.value):
            return None if path else activation_of(facts, function.value, depth + 1)
    if isinstance(function, ast.Attribute) and may_be_replaced(facts, function):
        return None
    callee = facts.value(function)
    if isinstance(callee, Module):
        if callee.cls == "torch.nn.Sequential" and callee.call is not None and not path:
            return _of_sequence(facts, callee.call, depth + 1)
        if is_self(facts, function):
            # A class below may have another forward.
            return None
        found = method_of(facts.inference, callee, "forward")
        if found is not None and found[0].names.parents.get(found[1]) is not _class_of(callee):
            # And may have other layers.
            return None
    elif isinstance(callee, Method):
        # A class below may have another method of that name.
        return None
    else:
        found = function_of(facts.inference, callee)
    home = None if found is None else facts_of(found[0])
    if found is None or home is None:
        return None
    return _returned(home, found[1], path, depth + 1)


def may_be_replaced(facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether a layer of a module may be another one than the class says.

    ``net.fc = nn.Linear(2, 3)``, ``setattr(net, "fc", …)``, or ``self.fc = …`` in a class below.
    """
    name = attribute.attr
    if facts.files is not None and facts.files.is_assigned(name, by_module=False):
        return True
    owner = facts.names.enclosing_class(attribute)
    for node in facts.names.attributes(name):
        if isinstance(node.ctx, ast.Load):
            continue
        other = facts.names.enclosing_class(node)
        if other is None or not is_self(facts, node.value):
            return True
        if owner is not None and other is not owner and owner in facts.classes.bases(other):
            return True
    return any(
        isinstance(argument, ast.Constant) and argument.value == name
        for call in (
            *facts.names.method_calls("add_module"),
            *facts.remembered("setattr", lambda: _setattrs(facts)),
        )
        for argument in call.args
    )


def _setattrs(facts: Facts) -> list[ast.Call]:
    return [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) == "setattr"
    ]


def _class_of(module: Module) -> ast.ClassDef | None:
    origin = imported_as(module)
    value = module if origin is None else origin.value
    return value.definition if isinstance(value, Module) else None


def _of_sequence(facts: Facts, construction: ast.Call, depth: int) -> Activation | None:
    """What comes out of an ``nn.Sequential`` that is complete as it is built."""
    if any(facts.names.method_calls(name) for name in ("add_module", "append", "extend")):
        return None
    if depth > _MAX_DEPTH or not construction.args or construction.keywords:
        return None
    if any(
        isinstance(item, ast.Subscript)
        and not isinstance(item.ctx, ast.Load)
        and facts.is_module(item.value)
        for item in facts.names.nodes.get(ast.Subscript, ())
    ):
        return None
    last = construction.args[-1]
    layer = facts.value(last)
    if not isinstance(layer, Module) or not isinstance(last, ast.Call):
        return None
    if layer.cls == "torch.nn.Sequential":
        return _of_sequence(facts, last, depth + 1)
    kind = _LAYERS.get((layer.cls or "").removeprefix("torch.nn."))
    return None if kind is None else Activation(kind, last, facts)


def _returned(facts: Facts, function: ast.FunctionDef, path: Path, depth: int) -> Activation | None:
    """The activation of all that a function returns, at ``path`` in it."""
    nodes = list(own_nodes(function))
    if facts.classes.is_wrapped(function) or any(
        isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes
    ):
        return None
    return _agreed(
        None if node.value is None else _at(facts, node.value, path, depth)
        for node in nodes
        if isinstance(node, ast.Return)
    )


def _at(facts: Facts, node: ast.expr, path: Path, depth: int) -> Activation | None:
    """The activation of what unpacking ``node`` gives at ``path``."""
    if not path:
        return activation_of(facts, node, depth)
    if isinstance(node, ast.Tuple):
        element = element_for(node, path[0])
        return None if element is None else _at(facts, element, path[1:], depth)
    return _of_call(facts, node, path, depth) if isinstance(node, ast.Call) else None


def _of_name(facts: Facts, name: ast.Name, depth: int) -> Activation | None:
    bindings = facts.flow.reaching(name)
    if is_modified(facts, name):
        return None
    return _agreed(_of_binding(facts, binding, depth) for binding in bindings)


def _of_binding(facts: Facts, binding: Binding, depth: int) -> Activation | None:
    if binding.kind != "assign" or binding.value is None or depth > _MAX_DEPTH:
        return None
    return _at(facts, binding.value, binding.path, depth)


def _agreed(activations: Iterable[Activation | None]) -> Activation | None:
    """The first of some activations, where all are of one kind."""
    found = list(activations)
    kinds = {None if one is None else one.kind for one in found}
    return found[0] if len(kinds) == 1 else None
