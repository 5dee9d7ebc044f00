"""Losses that are called in two ways, of which a test chooses one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.rules.losses.questions.activations import operand_of
from torchfix_codemods.rules.losses.questions.last_activations import Activation, activation_of


def is_chosen(call: ast.Call, activation: Activation, facts: Facts) -> bool:
    """Whether a test chooses between what an activation gives to a loss and what it is applied to.

    ``if twice: loss = f(p, y)`` with ``else: loss = f(scores, y)`` says that both are meant.
    """
    operand = operand_of(activation)
    if operand is None or activation.facts is not facts:
        return False

    def _before(place: Place) -> Iterable[Place] | None:
        return None if same_expression(place.node, operand) else _same_numbers(place)

    return any(
        _is_not_of(activation.kind, given, facts)
        and found_behind([Place(facts, given)], _before) is not None
        for given in _given_instead(call, facts)
    )


def is_beside_named(call: ast.Call, activation: Activation, facts: Facts) -> bool:
    """Whether the same loss gets what a name holds of the same activation in another branch.

    That is left to a person, and would look chosen if this one were rewritten.
    """
    return any(
        not isinstance(given, ast.Call) and not _is_not_of(activation.kind, given, facts)
        for given in _given_instead(call, facts)
    )


def _given_instead(call: ast.Call, facts: Facts) -> Iterator[ast.expr]:
    """What the same loss gets in calls that run where a test comes out the other way."""
    tests = dict(tests_passed(facts.names, call))
    for other in facts.names.nodes.get(ast.Call, ()) if tests else ():
        assert isinstance(other, ast.Call)
        if other is not call and same_expression(other.func, call.func):
            passed = tests_passed(facts.names, other)
            if any(test in tests and tests[test] is not holds for test, holds in passed):
                given = None if is_opaque(other) else argument(other, 0, "input")
                yield from () if given is None else (given,)


def _is_not_of(kind: str, given: ast.expr, facts: Facts) -> bool:
    activation = activation_of(facts, given)
    return activation is None or activation.kind != kind


def _same_numbers(place: Place) -> Iterable[Place]:
    """Where the numbers of a tensor, or those that are a part of it, come from."""
    facts, node = place.facts, place.node
    if isinstance(node, ast.Subscript):
        return [Place(facts, node.value)]
    method = node.func if isinstance(node, ast.Call) else node
    if isinstance(method, ast.Attribute) and torch_effects.keeps_numbers(method.attr):
        return [Place(facts, method.value)]
    return behind(place) if isinstance(node, ast.Name) else ()
