"""Whether a name is more than None where something is to be made beside it: it has a device."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from torchfix_codemods.facts.evaluation.applications import (
    applications,
    applications_of_class,
)
from torchfix_codemods.facts.evaluation.parameters import argument_for, default_value
from torchfix_codemods.facts.evidence.narrowing import is_never_none_at
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import constructions, given_for
from torchfix_codemods.facts.values.lattice import Maybe, NoneValue, Nothing, Tensor


def is_there(name: str, bindings: Collection[Binding], node: ast.AST, facts: Facts) -> bool:
    """Whether what is a tensor where it is used is one at another place of its function as well.

    Not a parameter that a call may leave out, ``mask`` of ``def forward(self, x, mask=None):``,
    unless a test lets only a tensor through, or what has run by then would have failed.

    Args:
        name: what it is called.
        bindings: those that reach the place.
        node: the place.
        facts: the facts of the module.
    """
    if not any(_may_be_none(binding, facts) for binding in bindings):
        return True
    uses = facts.names.uses_of(facts.names.scope_of(node), name)
    same = [use for use in uses if {*facts.flow.reaching(use)} == {*bindings}]
    return is_never_none_at(facts.inference, node, same)


def _may_be_none(binding: Binding, facts: Facts) -> bool:
    parameter = binding.node
    if isinstance(parameter, ast.arg):
        key = "may be no tensor", parameter
        return facts.remembered(key, lambda: _may_be_no_tensor(parameter, facts))
    return isinstance(facts.inference.bound(binding), (Maybe, NoneValue))


def _may_be_no_tensor(parameter: ast.arg, facts: Facts) -> bool:
    """Whether a call may leave a parameter out that has no tensor for that, or gives it None."""
    if not isinstance(default_value(facts.inference, parameter), (Nothing, Tensor)):
        return True
    function = facts.names.parents[facts.names.parents[parameter]]
    if not isinstance(function, ast.FunctionDef):
        return False
    return any(
        value is not None and isinstance(there.inference.possible(value), (NoneValue, Maybe))
        for value, there in _given(parameter, function, facts)
    )


def _given(
    parameter: ast.arg, function: ast.FunctionDef, facts: Facts
) -> Iterator[tuple[ast.expr | None, Facts]]:
    """What the calls in sight give a parameter, those of the modules that run it among them."""
    yield from given_for(parameter, function, facts)
    owner = facts.parent(function)
    if function.name == "forward" and isinstance(owner, ast.ClassDef):
        for call, there in _applications(owner, facts):
            yield argument_for(function, parameter, call, bound=True), there


def _applications(owner: ast.ClassDef, facts: Facts) -> list[tuple[ast.Call, Facts]]:
    """The calls in sight of the modules of a class, each with its file's facts."""
    here = applications_of_class(facts.inference, owner)
    if here is not None:
        return [(call, facts) for call in here]
    return [
        (call, there)
        for made, there in constructions(owner, facts) or ()
        for call in applications(there.inference, made) or ()
    ]
