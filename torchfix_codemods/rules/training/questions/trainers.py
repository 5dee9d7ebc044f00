"""Classes that hold a model, and the other files that have them train and evaluate it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject
from torchfix_codemods.rules.training.questions.resets import Reset, Unclear, missing_resets
from torchfix_codemods.rules.training.questions.steps import Step, may_be_held, roots


def missing_in_methods(facts: Facts, model: Model) -> list[Reset]:
    """The methods of this file that other files call in an order which needs ``train()`` in them.

    Args:
        facts: the facts of the file.
        model: the attribute of a class of the file, ``self.model``.
    """
    owner, name = model
    if not isinstance(owner, ast.ClassDef) or facts.files is None:
        return []
    users = facts.files.mentioning(owner.name)
    found: list[Reset] = []
    for file in users or ():
        user = facts_of(file)
        if user is None:
            return []
        for home, definition in _imports_of(owner, facts, user):
            there = definition, name
            if not _is_seen_whole(user, definition, there):
                return []
            found += _missing(home, user, there)
    places = ((_same_statement(facts, reset.place), reset.model) for reset in found)
    return [Reset(place, written) for place, written in places if place is not None]


def _missing(home: Facts, user: Facts, model: Model) -> Iterator[Reset]:
    for steps in roots(user, model):
        try:
            yield from missing_resets(home, model, steps)
        except Unclear:
            continue


def _imports_of(owner: ast.ClassDef, facts: Facts, user: Facts) -> set[tuple[Facts, ast.ClassDef]]:
    """The class as another file imports it, and the facts of its file as that one knows it."""
    values = [
        user.value(node)
        for cls in (ast.Name, ast.Attribute)
        for node in user.names.nodes.get(cls, ())
        if getattr(node, "id", getattr(node, "attr", None)) == owner.name
    ]
    return {
        (home, value.value.definition)
        for value in values
        if isinstance(value, Imported) and isinstance(value.value, ClassObject)
        if (home := facts_of(value.owner)) is not None and _is_same_file(home, facts)
    }


def _is_same_file(one: Facts, other: Facts) -> bool:
    paths = [None if facts.files is None else facts.files.path for facts in (one, other)]
    return paths[0] is not None and paths[0] == paths[1] and one.text == other.text


def _is_seen_whole(user: Facts, owner: ast.ClassDef, model: Model) -> bool:
    """Whether a file sets modes of the model through the methods of its owner only."""
    if mode_calls(user) or may_be_held(user, model):
        return False
    for call in user.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        if not _constructs(user, call, owner):
            continue
        for given in values_given(call):
            same = model_of(user, given)
            if same is not None and _goes_elsewhere(user, owner, same, model):
                return False
    return True


def _constructs(user: Facts, call: ast.AST, owner: ast.ClassDef) -> bool:
    value = user.value(call.func) if isinstance(call, ast.Call) else None
    return isinstance(value, Imported) and getattr(value.value, "definition", None) is owner


def _goes_elsewhere(user: Facts, owner: ast.ClassDef, given: Model, kept: Model) -> bool:
    """Whether what the owner is built with gets to anything else that may set its mode."""
    return any(
        step.kind == "unseen" and not _is_by_owner(user, step, owner, kept)
        for steps in roots(user, given)
        for root in steps
        for step in root.all()
    )


def _is_by_owner(user: Facts, step: Step, owner: ast.ClassDef, kept: Model) -> bool:
    """Whether a step builds the owner, or is its own ``self.model.eval()``."""
    function = step.node.func if isinstance(step.node, ast.Call) else None
    if isinstance(function, ast.Attribute) and model_of(step.facts, function.value) == kept:
        return True
    return _constructs(user, step.node, owner)


def _same_statement(facts: Facts, statement: ast.stmt) -> ast.stmt | None:
    """The statement of a file that was read another time."""
    for node in facts.names.nodes.get(type(statement), ()):
        if isinstance(node, ast.stmt) and node.lineno == statement.lineno:
            if node.col_offset == statement.col_offset:
                return node
    return None
