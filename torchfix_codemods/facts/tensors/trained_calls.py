"""The calls that give what is differentiated, and what hands on that which they call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.roots import is_backward_root
from torchfix_codemods.facts.language.arguments import is_opaque, values_given
from torchfix_codemods.facts.language.scopes import Path
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls, others_with
from torchfix_codemods.facts.paths.graph import Place, use_of
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.tensors.calculated import terms_of


def trained_calls(facts: Facts) -> list[tuple[ast.Call, Path]]:
    """The calls of a file that give what is differentiated, and where in what they give it is."""
    return facts.remembered("made for backward", lambda: [*_made_for_backward(facts)])


def _made_for_backward(facts: Facts) -> Iterator[tuple[ast.Call, Path]]:
    for call in facts.names.method_calls("backward"):
        root = call.func.value if isinstance(call.func, ast.Attribute) else call
        if is_backward_root(facts.names, root):
            for term in terms_of(root):
                made = made_by(facts, term)
                # Of several it is not known which one was a number.
                if len(made) == 1 and made[0] is not None:
                    yield made[0]


def made_by(facts: Facts, core: ast.expr) -> list[tuple[ast.Call, Path] | None]:
    """The calls that give a value, and where in what they give; None for what is no call."""
    if not isinstance(core, ast.Name):
        return [(core, ())] if isinstance(core, ast.Call) else [None]
    return [
        (binding.value, binding.path)
        if binding.kind == "assign" and isinstance(binding.value, ast.Call)
        else None
        for binding in facts.flow.reaching(core)
    ]


def is_handed_on(facts: Facts, call: ast.Call, path: Path) -> bool:
    """Whether all callers hand in what they call themselves for what they differentiate.

    ``evaluate(model, criterion)`` below ``criterion(output, target).backward()``, or below
    ``train(model, criterion)``, which does that, in this file or in another one.
    """
    name = call.func
    if not isinstance(name, ast.Name) or is_opaque(call) or is_switched(facts, name.id):
        return False
    function, parameter = parameter_held(name, facts)
    if function is None or parameter is None:
        return False
    handed = arguments_of_all_calls(function, parameter, facts)
    return bool(handed) and all(
        isinstance(given, ast.Name)
        and not is_switched(there, given.id)
        and any(
            path == place and trained.func is called.node and _is_given_as_many(call, trained)
            for called in _reads_of_same(there, given)
            for trained, place in trained_calls(called.facts)
        )
        for there, given in handed or ()
    )


def _reads_of_same(facts: Facts, given: ast.Name) -> Iterator[Place]:
    """Where a file reads the value of a name, and the functions that it hands that to do."""
    found = facts.names.scope_of(given).lookup(given.id)
    for use in () if found is None else facts.names.uses_of(found[0], given.id):
        if not is_same_name(facts, given, use):
            continue
        yield Place(facts, use)
        for read in use_of(Place(facts, use)).taken():
            if isinstance(read.node, ast.Name) and _is_handed(read.node, read.facts):
                yield read


def _is_handed(name: ast.Name, facts: Facts) -> bool:
    """Whether a name holds a parameter, and nothing sets the mode of that."""
    return parameter_held(name, facts)[0] is not None and not is_switched(facts, name.id)


def _is_given_as_many(call: ast.Call, other: ast.Call) -> bool:
    is_plain = not is_opaque(call) and not is_opaque(other)
    return is_plain and len(values_given(call)) == len(values_given(other))


def may_be_trained_elsewhere(facts: Facts, core: ast.expr) -> bool:
    """Whether another file differentiates what a parameter of the same name gives.

    ``criterion(output, target)`` of ``validate()``, and of a ``train()`` that is another file's.
    """
    made = made_by(facts, core)
    return bool(made) and all(
        each is not None
        and isinstance(name := each[0].func, ast.Name)
        and _is_handed(name, facts)
        and any(
            each[1] == place
            and isinstance(trained.func, ast.Name)
            and trained.func.id == name.id
            and _is_given_as_many(each[0], trained)
            and _is_handed(trained.func, there)
            for there in others_with("backward", facts)
            for trained, place in trained_calls(there)
        )
        for each in made
    )


def is_switched(facts: Facts, text: str) -> bool:
    """Whether the mode is set of what is called, which may give something else in each."""
    return any(
        isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == text
        for method in ("eval", "train")
        for call in facts.names.method_calls(method)
    )


def is_same_name(facts: Facts, name: ast.Name, other: ast.expr) -> bool:
    """Whether another expression is the same name, with the same value."""
    if not isinstance(other, ast.Name) or other.id != name.id:
        return False
    bindings = set(facts.flow.reaching(name))
    return bool(bindings) and bindings == set(facts.flow.reaching(other))
