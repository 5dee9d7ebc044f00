"""Tensors that a function makes for itself, and reads only where gradients are off."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import is_without_grad

#: What uses a tensor there and then. What is given it may keep it.
_AT_ONCE = (
    "argument",
    "attribute",
    "compared",
    "formatted",
    "index",
    "method",
    "operand",
    "put into",
    "statement",
)


def is_seen_without_grad(tensor: ast.expr, facts: Facts) -> bool:
    """Whether no graph can need the numbers of a tensor while they are written.

    A function makes it, and does nothing with it but where gradients are off: ``batch.data[:] =
    rows`` in a test.

    Args:
        tensor: what is written into.
        facts: the facts of the module.
    """
    if not isinstance(tensor, ast.Name) or not is_without_grad(tensor, facts):
        return False
    value, function = facts.value(tensor), facts.names.enclosing_function(tensor)
    if not isinstance(value, Tensor) or value.grad is not False or function is None:
        return False
    backward = facts.names.attributes("backward")
    if any(facts.names.enclosing_function(each) is function for each in backward):
        # What is given the tensor may keep it for that.
        return False
    made: list[Place] = []
    before = functools.partial(_before, made, function)
    return come_from([Place(facts, tensor)], before) and follow(made, _may_record) is None


def _before(made: list[Place], function: ast.AST, place: Place) -> Iterable[Place] | None:
    """What a tensor is one step back in a function, and none where it is made there."""
    facts, node = place.facts, place.node
    if place.content or facts.names.enclosing_function(node) is not function:
        return None
    if is_fresh(node, facts):
        made.append(place)
        return ()
    method = node.func if isinstance(node, ast.Call) else None
    if isinstance(method, ast.Attribute) and torch_effects.may_be_itself(method.attr):
        return [Place(facts, method.value)]
    return sources(place) if isinstance(node, ast.Name) else None


def _may_record(use: Use) -> Iterable[Place] | None:
    """None for what may make the tensor part of a graph, or keep it for one."""
    facts, by = use.facts, use.by
    if use.kind == "bound":
        targets = [target for target, _ in use.targets()]
        return use.named() if all(isinstance(one, ast.Name) for one in targets) else None
    method = by.func if isinstance(by, ast.Call) else by
    if use.kind in ("method", "attribute", "argument") and isinstance(method, ast.Attribute):
        name = facts.name(method) or method.attr
        if use.kind != "argument" and torch_effects.tells(name):
            return ()
        if torch_effects.gives_alias(name) or torch_effects.may_be_itself(name):
            return use.result()
    if use.kind == "item":
        return use.result()
    return () if use.kind in _AT_ONCE and is_without_grad(use.node, facts) else None
