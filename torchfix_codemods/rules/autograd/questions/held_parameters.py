"""What an optimizer was built with: whose parameters it holds, and what moves them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.values.lattice import Optimizer

_PARAMETERS = frozenset({"parameters", "named_parameters"})


def built_as(optimizer: ast.expr, facts: Facts) -> list[ast.Call]:
    """The calls that build an optimizer; empty where it may be built otherwise."""
    sources: list[ast.expr] | None = None
    if isinstance(optimizer, ast.Name):
        sources = facts.assigned(optimizer)
    elif isinstance(optimizer, ast.Attribute):
        owner = facts.names.enclosing_class(optimizer)
        bindings = [] if owner is None else facts.classes.attribute_sources(owner, optimizer.attr)
        sources = [b.value for b in bindings if b.value is not None and constant(b.value) is ...]
    calls = [source for source in sources or () if isinstance(source, ast.Call)]
    is_certain = all(isinstance(facts.value(call), Optimizer) for call in calls)
    return calls if is_certain and len(calls) == len(sources or ()) else []


def held_by(built: ast.Call, facts: Facts) -> frozenset[str]:
    """``net``, ``self.head`` and ``weight``: whose parameters an optimizer holds, and which.

    Also by the attributes that the function keeps them in. Empty where that is not certain.
    """
    given = argument(built, 0, "params")
    if isinstance(given, ast.Name):
        assigned = facts.assigned(given)
        given = assigned[0] if assigned is not None and len(assigned) == 1 else None
    if given is None:
        return frozenset()
    found = {ast.unparse(node) for node in _held(given, facts)}
    function = facts.names.enclosing_function(built)
    kept = {
        ast.unparse(target)
        for node in facts.names.own_nodes(facts.tree if function is None else function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and ast.unparse(node.value) in found
    }
    return frozenset(found | kept)


def _held(given: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    for node in walk(given):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _PARAMETERS:
                yield node.func.value
        elif isinstance(node, ast.expr) and is_parameter(node, facts):
            yield node


def rests_without_gradient(built: ast.Call, facts: Facts) -> bool:
    """Whether a gradient of zeros certainly moves nothing: SGD without momentum and decay."""
    if facts.name(built.func) != "torch.optim.SGD" or is_opaque(built):
        return False
    moving = (argument(built, 2, "momentum"), argument(built, 4, "weight_decay"))
    return all(given is None or constant(given) in (0, 0.0) for given in moving)
