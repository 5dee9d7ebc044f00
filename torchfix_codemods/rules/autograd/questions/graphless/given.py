"""What a name is given, each way that it can: by assignments, loops, all calls of a function."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.parameters import argument_for, calls_of_lambda
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import given_to


def given_by(
    place: Place, binding: Binding, seen: frozenset[Binding] = frozenset()
) -> list[Place] | None:
    """What a binding gives a name, each way that it can; None where that is out of sight.

    Of ``seen`` is told already: ``r *= g`` and ``r += x`` of a loop give each other what they make.
    """
    facts, content = place.facts, place.content
    if isinstance(binding.node, ast.AugAssign):
        seen |= {binding}
        before = facts.flow.reaching_before(binding.node, binding.name)
        found = [given_by(place, each, seen) for each in before if each not in seen]
        added = [Place(facts, binding.node.value)]
        return None if None in found else [*added, *(p for given in found for p in given or ())]
    if isinstance(binding.node, ast.arg):
        function = facts.parent(facts.parent(binding.node) or binding.node)
        if isinstance(function, ast.Lambda):
            return _given_to_lambda(place, function, binding.node)
        if not isinstance(function, ast.FunctionDef):
            return None
        given = arguments_of_all_calls(function, binding.node, facts)
        return None if given is None else [Place(there, each, content) for there, each in given]
    assigned = given_to(facts, binding, content)
    return None if assigned is None or binding.is_shared else [assigned]


def _given_to_lambda(place: Place, function: ast.Lambda, parameter: ast.arg) -> list[Place] | None:
    """What the calls of the name that a lambda gets pass; None where one is out of sight."""
    calls = calls_of_lambda(place.facts.inference, function)
    given = [argument_for(function, parameter, call, bound=False) for call in calls]
    known = [Place(place.facts, each, place.content) for each in given if each is not None]
    return known if known and len(known) == len(given) else None
