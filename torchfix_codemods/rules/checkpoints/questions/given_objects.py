"""Functions that save what they are given, and read it back: what the files of those hold."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths import callers
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    loaded_path,
    same_path,
    saved_object,
    saved_path,
)
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.rules.checkpoints.questions.object_uses import (
    assigned_to,
    uses_of_assigned,
)
from torchfix_codemods.rules.checkpoints.questions.pickled_objects import holds_object


def saved_parameter(facts: Facts, load: ast.Call) -> ast.Name | None:
    """The parameter that a function saves before ``torch.load`` reads the same file there."""
    function = facts.names.enclosing_function(load)
    for save in calls_of(facts, "torch.save"):
        saved = saved_object(save)
        if function is None or facts.names.enclosing_function(save) is not function:
            continue
        if not isinstance(saved, ast.Name) or save.lineno > load.lineno:
            continue
        bindings = facts.flow.reaching(saved)
        is_given = len(bindings) == 1 and bindings[0].kind == "parameter"
        if is_given and same_path(facts, saved_path(save), loaded_path(load)):
            return saved
    return None


def is_given_object(facts: Facts, saved: ast.Name) -> bool:
    """Whether a call of the function gives a parameter more than tensors in containers."""
    return any(holds_object(there, value) for there, value in _given(facts, saved))


def may_be_given_object(facts: Facts, saved: ast.Name, load: ast.Call) -> bool:
    """Whether a parameter may be a whole module, as far as its calls and its uses tell.

    Where all calls show what they give, it is none; nor is what items are taken of, or what is
    given to ``load_state_dict``.
    """
    given = _given(facts, saved)
    if not isinstance(facts.value(saved), Unknown):
        return False
    if given and not any(isinstance(there.value(value), Unknown) for there, value in given):
        return False
    bindings = facts.flow.reaching(saved)
    uses = [use for binding in bindings for use in uses_of(facts, binding)]
    loaded = [
        use
        for target, statement in assigned_to(facts, load)
        for use in uses_of_assigned(facts, target, statement)
    ]
    return not any(_is_of_tensors(facts, use) for use in (*uses, *loaded, load))


def _given(facts: Facts, saved: ast.Name) -> list[tuple[Facts, ast.expr]]:
    """What the calls that are known give to a parameter."""
    given = callers.given_by_known_calls(saved, facts)
    return [(there, value) for value, there in given if value is not None]


def _is_of_tensors(facts: Facts, use: ast.expr) -> bool:
    """Whether a use is one of a dict, a list or a tensor, or of what is known otherwise."""
    around = facts.parent(use)
    if not isinstance(facts.value(use), Unknown):
        return True
    if isinstance(around, ast.Subscript):
        return around.value is use
    if isinstance(around, ast.Attribute):
        return container_methods.is_of("dict", around.attr)
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is use
    if not isinstance(around, ast.Call):
        return False
    method, name = around.func, facts.name(around.func) or ""
    is_calculated = name.startswith("torch.") and name.count(".") == 1 and name != "torch.save"
    return is_calculated or (isinstance(method, ast.Attribute) and method.attr == "load_state_dict")
