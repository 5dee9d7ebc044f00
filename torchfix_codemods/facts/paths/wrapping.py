"""What `Variable(...)` took in torch 0.3: tensors that were part of no graph."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.class_targets import holds_classes
from torchfix_codemods.facts.paths.classes_below import is_redefined_below
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.paths.origins import (
    come_from,
    sources,
    sources_in_sight,
)


def computes_nothing(method: str) -> bool:
    """Whether a method that is called on a tensor before it is wrapped only hands it on."""
    return torch_effects.may_come_before(method) and method != "detach"


def wrapper_around(node: ast.expr, facts: Facts) -> ast.Call | None:
    """The ``Variable(…)`` that an expression is written in, whatever else is made of it there."""
    for around in facts.names.ancestors(node):
        if isinstance(around, ast.stmt):
            break
        if isinstance(around, ast.Call) and facts.name(around.func) == VARIABLE:
            return around
    return None


def had_no_graph(data: ast.expr, facts: Facts) -> bool:
    """Whether what a Variable is made of was part of no graph.

    In code for torch 0.3 it was no Variable itself; indices of classes never are.
    """
    if facts.era_of(data).before((0, 4)) and not _is_computed(data, facts):
        return True
    return holds_classes(data, facts)


def is_moved_for_variable(call: ast.Call, facts: Facts) -> bool:
    """Whether a call gives what a Variable is made of: ``x.cuda()`` of ``Variable(x.cuda())``."""
    node: ast.AST | None = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not computes_nothing(node.func.attr):
            return False
        chosen: ast.AST = node
        around = facts.parent(node)
        while isinstance(around, ast.IfExp) and chosen is not around.test:
            chosen, around = around, facts.parent(around)
        if isinstance(around, ast.Call) and around.args[:1] == [chosen]:
            return facts.name(around.func) == VARIABLE and had_no_graph(node, facts)
        node = facts.parent(around) if isinstance(around, ast.Attribute) else None
    return False


def is_made_for_variable(call: ast.Call, facts: Facts) -> bool:
    """Whether torch makes what a Variable is made of: ``Variable(torch.FloatTensor(x))``."""
    around = facts.parent(call)
    if not isinstance(around, ast.Call) or around.args[:1] != [call]:
        return False
    is_torchs = (facts.name(call.func) or "").startswith("torch.")
    return is_torchs and facts.name(around.func) == VARIABLE and had_no_graph(call, facts)


def only_moves(call: ast.Call, facts: Facts) -> bool:
    """Whether a function of the project hands on what it is given, at most moved: ``to_gpu(x)``."""
    called = function_named(call.func, facts) if len(call.args) == 1 and not call.keywords else None
    is_certain = called is not None and not is_redefined_below(*called)
    given_back = returned_by(*called, ()) if called is not None and is_certain else None
    return bool(given_back) and come_from(given_back or (), _before_move)


def _before_move(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        if bindings and all(binding.kind == "parameter" for binding in bindings):
            return ()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_move = computes_nothing(node.func.attr)
        return [Place(facts, node.func.value)] if is_move else None
    return sources(place)


def is_moved_variable(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression may be a ``Variable(…)`` itself, at most moved or converted.

    ``x.cuda() if use_cuda else x`` after ``x = Variable(data, requires_grad=flag)`` is, whatever
    the flag says.
    """
    return not come_from([Place(facts, value)], _before_variable)


def _before_variable(place: Place) -> Iterable[Place] | None:
    """None for a Variable; else what is moved, or what has a name."""
    facts, node = place.facts, place.node
    if not isinstance(node, ast.Call):
        return sources_in_sight(place)
    if facts.name(node.func) == VARIABLE:
        return () if place.content else None
    if not isinstance(node.func, ast.Attribute) or not computes_nothing(node.func.attr):
        return ()
    return [Place(facts, node.func.value)]


def comes_with_variables(name: ast.Name, facts: Facts) -> bool:
    """Whether a name is what a loop gives beside something that becomes a Variable as it comes.

    ``label`` of ``for data, label in loader:``, where ``Variable(data)`` follows.
    """
    bindings = facts.flow.reaching(name)
    loops = [b.node for b in bindings if isinstance(b.node, ast.For)]
    return bool(loops) and len(loops) == len(bindings) and all(_wraps(x, facts) for x in loops)


def _wraps(loop: ast.For, facts: Facts) -> bool:
    scope = facts.names.scope_of(loop)
    given = ast.walk(loop.target) if isinstance(loop.target, ast.Tuple) else ()
    uses = (u for n in given if isinstance(n, ast.Name) for u in facts.names.uses_of(scope, n.id))
    for use in uses:
        call = facts.parent(use)
        if isinstance(call, ast.Call) and call.args[:1] == [use]:
            if facts.name(call.func) == VARIABLE:
                if any(binding.node is loop for binding in facts.flow.reaching(use)):
                    return True
    return False


def _is_computed(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression may be the result of a module or of a function of torch.nn.

    On torch 0.3 that was a Variable, which could not be wrapped again: such code is newer.
    """
    return not come_from([Place(facts, node)], _before_computed)


def _before_computed(place: Place) -> Iterable[Place] | None:
    node, facts = place.node, place.facts
    if not isinstance(node, ast.Call):
        return sources_in_sight(place)
    name = facts.name(node.func) or ""
    is_computed = name.startswith("torch.nn.functional.") or facts.is_module(node.func)
    return None if is_computed else ()


def maps_wrapper(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is ``map(Variable, xs)``, of which nothing but the elements is taken."""
    if facts.names.builtin(call.func) != "map" or len(call.args) != 2 or call.keywords:
        return False
    if facts.name(call.args[0]) != VARIABLE or isinstance(call.args[1], ast.Starred):
        return False
    around = facts.parent(call)
    if isinstance(around, ast.For):
        return around.iter is call
    if isinstance(around, ast.Call):
        return facts.names.builtin(around.func) in ("list", "tuple") and around.args == [call]
    return isinstance(around, ast.Assign) and all(
        isinstance(target, (ast.Tuple, ast.List)) for target in around.targets
    )
