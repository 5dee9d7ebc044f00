"""Whether nothing in the project loads a file whole, so that a state dict will do in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths import callers
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    loaded_path,
    opened_name,
    saved_object,
    saved_path,
)
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Module, Text, Unknown, Value
from torchfix_codemods.rules.checkpoints.questions.left_state import state_dict_says_all
from torchfix_codemods.rules.checkpoints.questions.object_uses import uses_of_assigned
from torchfix_codemods.rules.checkpoints.questions.read_whole import reads_whole


def can_hold_state_dict(facts: Facts, save: ast.Call) -> bool:
    """Whether a model that is saved may be its state dict instead, as nothing loads it whole."""
    saved = saved_object(save)
    return (
        saved is not None
        and is_said_by_state_dict(facts, saved)
        and not may_be_loaded_whole(facts, save)
    )


def is_said_by_state_dict(facts: Facts, saved: ast.expr) -> bool:
    """Whether the file that defines the class of a model holds nothing else in its modules."""
    value: Value = facts.value(saved)
    if isinstance(value, Unknown):
        value = callers.value_by_all_calls(saved, facts)
    home: Facts | None = facts
    if isinstance(value, Imported):
        home, value = facts_of(value.owner), value.value
    if not isinstance(value, Module) or (value.cls or "").startswith("torch.jit."):
        return False
    if value.origin is not None:
        home = facts_of(value.origin.owner) if isinstance(value.origin, Imported) else None
    is_known = value.definition is not None or value.origin is not None or bool(value.cls)
    return is_known and home is not None and state_dict_says_all(home)


def is_left_to_load(facts: Facts, save: ast.Call, is_saved_otherwise: bool) -> bool:
    """Whether whoever loads a whole model has something to do yet.

    Nothing is, where a place that loads whole models gets what it needs for that, unless another
    one certainly loads this file; nor where nothing does so and the state dict is saved as well.
    """
    own = opened_name(facts, saved_path(save))
    loads = [*_loads_whole(facts, save)]
    is_told = {load: load is not None and reads_whole(load[0], load[1], "TP502") for load in loads}
    if any(
        load is not None and own is not None and opened_name(load[0], loaded_path(load[1])) == own
        for load in loads
        if not is_told[load]
    ):
        return True
    return not any(is_told.values()) and not is_saved_otherwise


def may_be_loaded_whole(facts: Facts, save: ast.Call) -> bool:
    """Whether something in the project may load what a place saves, as the whole model it is."""
    return any(True for _ in _loads_whole(facts, save))


def _loads_whole(facts: Facts, save: ast.Call) -> Iterator[tuple[Facts, ast.Call] | None]:
    """The calls that may load a file whole, with their file; a None for what cannot be read."""
    own = opened_name(facts, saved_path(save))
    for there in _files_that_load(facts):
        if there is None:
            yield None
            continue
        for load in calls_of(there, "torch.load"):
            name = opened_name(there, loaded_path(load))
            is_other = None not in (own, name) and own != name
            if not is_other and not _reads_dict(there, load):
                yield there, load


def _files_that_load(facts: Facts) -> Iterator[Facts | None]:
    """This file and the others that speak of loading; a None for what cannot be read."""
    yield facts
    others = [] if facts.files is None else facts.files.mentioning("load")
    if others is None:
        yield None
    yield from (facts_of(file) for file in others or ())


def _reads_dict(facts: Facts, load: ast.Call) -> bool:
    """Whether what is loaded is certainly used as a dict: its items, or ``load_state_dict(…)``."""
    statement = facts.parent(load)
    if not isinstance(statement, ast.Assign) or statement.value is not load:
        return _is_read_as_dict(facts, load)
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
        return False
    name = statement.targets[0].id
    uses = list(uses_of_assigned(facts, statement.targets[0], statement))
    scope = facts.names.scope_of(statement.targets[0])
    is_complete = len(uses) == sum(1 for _ in facts.names.uses_of(scope, name))
    return bool(uses) and is_complete and all(_is_read_as_dict(facts, use) for use in uses)


def _is_read_as_dict(facts: Facts, node: ast.expr) -> bool:
    parent = facts.parent(node)
    if isinstance(parent, ast.Subscript):
        return parent.value is node and isinstance(facts.value(parent.slice), Text)
    if isinstance(parent, ast.Attribute):
        # What is asked of a dict, and of no module.
        asks = container_methods.only_reads(parent.attr)
        return asks and container_methods.is_of("dict", parent.attr)
    if isinstance(parent, ast.Call):
        method = parent.func
        loads = isinstance(method, ast.Attribute) and method.attr == "load_state_dict"
        return loads and node in values_given(parent)
    return isinstance(parent, ast.For) and parent.iter is node
