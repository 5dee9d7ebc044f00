"""Which activation a tensor certainly comes out of: softmax, its logarithm, a sigmoid, a layer."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import function_run, is_self
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.writes import is_modified
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Module, Sequence
from torchfix_codemods.facts.values.sequential import layers_in_order
from torchfix_codemods.record import record

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


def activation_of(facts: Facts, node: ast.expr) -> Activation | None:
    """The activation whose results an expression holds; None where that is not certain."""
    found: list[Activation] = []
    is_certain = come_from([Place(facts, node)], functools.partial(_before, found))
    return found[0] if is_certain and len({one.kind for one in found}) == 1 else None


def _before(found: list[Activation], place: Place) -> Iterable[Place] | None:
    """None where no activation is certain; else what has the same numbers before one is found."""
    facts, node = place.facts, place.node
    if isinstance(node, ast.Name):
        return None if is_modified(facts, node) else sources(place)
    if isinstance(node, ast.Call):
        return _before_call(found, place, node)
    if isinstance(node, ast.Subscript) and isinstance(facts.value(node.value), Sequence):
        return sources(place)
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and _keeps(node.attr)):
        is_kept = not place.content and facts.is_tensor(node)
        return [Place(facts, node.value)] if is_kept else None
    return sources(place)


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


def _before_call(found: list[Activation], place: Place, call: ast.Call) -> Iterable[Place] | None:
    facts, function = place.facts, call.func
    applied = applied_by(facts, call)
    if applied is not None:
        found.append(Activation(applied, call, facts))
        return None if place.content else ()
    if isinstance(function, ast.Attribute) and _keeps(function.attr):
        if facts.name(function) is None and facts.is_tensor(function.value):
            return None if place.content else [Place(facts, function.value)]
    if isinstance(function, ast.Attribute) and may_be_replaced(facts, function):
        return None
    callee = facts.value(function)
    if not isinstance(callee, Module):
        return sources(place)
    if callee.cls == "torch.nn.Sequential" and callee.call is not None and not place.content:
        last = _of_sequence(facts, callee.call)
        found += [] if last is None else [last]
        return None if last is None else ()
    forward = function_run(function, facts)
    if forward is None or is_self(facts, function):
        # A class below may have another forward.
        return None
    there, method = forward
    # And may have other layers.
    is_own = there.parent(method) is _class_of(callee)
    return returned_by(there, method, place.content) if is_own else None


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


def _of_sequence(facts: Facts, construction: ast.Call) -> Activation | None:
    """What comes out of an ``nn.Sequential`` that is complete as it is built."""
    adding = {"add_module", *container_methods.keeping("list")}
    if any(map(facts.names.method_calls, adding)):
        return None
    layers = layers_in_order(facts.names, construction)
    if not layers or construction.keywords:
        return None
    if any(
        isinstance(item, ast.Subscript)
        and not isinstance(item.ctx, ast.Load)
        and facts.is_module(item.value)
        for item in facts.names.nodes.get(ast.Subscript, ())
    ):
        return None
    last = layers[-1]
    layer = facts.value(last)
    if not isinstance(layer, Module) or not isinstance(last, ast.Call):
        return None
    if layer.cls == "torch.nn.Sequential":
        return _of_sequence(facts, last)
    kind = _LAYERS.get((layer.cls or "").removeprefix("torch.nn."))
    return None if kind is None else Activation(kind, last, facts)
