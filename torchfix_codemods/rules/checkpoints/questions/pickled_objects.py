"""What the files that a module saves and loads hold: tensors, or whole pickled objects."""

from __future__ import annotations

import ast
from pathlib import Path

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths import callers
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    file_name,
    loaded_path,
    opened_name,
    same_path,
    saved_object,
    saved_path,
    written_alike,
)
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Array,
    Foreign,
    Instance,
    Module,
    Optimizer,
    Unknown,
    Value,
)
from torchfix_codemods.facts.values.options import default_in_project
from torchfix_codemods.record import record
from torchfix_codemods.rules.checkpoints.questions.object_uses import (
    assigned_to,
    is_called_as_module,
    is_used_as_object,
    uses_of_assigned,
)

#: Classes of Python that ``torch.load`` refuses; it takes sets and counters.
_REFUSED = frozenset(
    """argparse.Namespace collections.defaultdict collections.deque datetime.date datetime.datetime
    datetime.timedelta decimal.Decimal fractions.Fraction pathlib.Path pathlib.PosixPath
    pathlib.PurePath random.Random types.SimpleNamespace uuid.UUID""".split()
)


@record
class Place:
    """A call in another file of the project that saves or loads a file."""

    path: Path
    """Of the file that the call stands in."""
    facts: Facts
    """Of that file."""
    call: ast.Call
    is_load: bool
    is_same: bool
    """Whether it names the same file for certain, as far as its last part tells."""


def whole_elsewhere(facts: Facts, path: ast.expr | None) -> list[Place] | None:
    """Where other files of the project save or load, or may do so, a whole object at ``path``.

    Returns:
        those places, the certain ones first; None where the project cannot be searched.
    """
    if facts.files is None:
        return []
    found = []
    own = file_name(facts, path)
    for word, location, is_whole in (
        ("load", loaded_path, loads_object),
        ("save", saved_path, saves_module),
    ):
        mentioning = facts.files.mentioning(word)
        if mentioning is None:
            return None
        for file in mentioning:
            there = facts_of(file)
            for call in calls_of(there, f"torch.{word}") if there is not None else ():
                assert there is not None
                name = file_name(there, location(call))
                is_same = name is not None and name == own
                may_be = name is None or own is None
                if is_same or (may_be and is_whole(there, call)):
                    found.append(Place(file.path, there, call, word == "load", is_same))
    return sorted(found, key=lambda place: not place.is_same)


def saves_module(facts: Facts, save: ast.Call) -> bool:
    """Whether ``torch.save`` certainly gets a module, maybe from all callers of a helper."""
    saved = saved_object(save)
    value = facts.value(saved or save)
    if isinstance(value, Unknown) and isinstance(saved, ast.Name):
        value = callers.value_by_all_calls(saved, facts)
    return isinstance(value.value if isinstance(value, Imported) else value, Module)


def loads_object(facts: Facts, load: ast.Call) -> bool:
    """Whether ``torch.load`` certainly reads an object that is more than tensors in containers."""
    if is_used_as_object(facts, load, 0):
        return True
    return any(
        _holds_given_object(facts, saved_object(save))
        for save in calls_of(facts, "torch.save")
        if same_path(facts, saved_path(save), loaded_path(load))
        or (
            written_alike(facts, saved_path(save), loaded_path(load))
            and facts.names.enclosing_class(save) is facts.names.enclosing_class(load)
            and not _is_loaded_as_state(facts, load)
        )
    )


def is_saved_elsewhere(facts: Facts, load: ast.Call) -> bool:
    """Whether other files of the project save an object by the name of the file that is loaded.

    All that save by that name have to: a data set, or a dict with an array in it. A whole module is
    left to the place that saves it, and what is loaded as a state dict is none. The name of
    ``args.vocab_file`` is the default of the option.
    """
    path = loaded_path(load)
    name = None if path is None else opened_name(facts, default_in_project(path, facts.inference))
    if name is None or _is_loaded_as_state(facts, load):
        return False
    saved = [
        (there, saved_object(save))
        for there in (facts, *callers.others_with(name, facts))
        for save in calls_of(there, "torch.save")
        if opened_name(there, saved_path(save)) == name and not saves_module(there, save)
    ]
    return bool(saved) and all(holds_object(there, each) for there, each in saved)


def _holds_given_object(facts: Facts, saved: ast.expr | None) -> bool:
    """Whether what is saved holds an object, at least where a known call of a function gives it."""
    return holds_object(facts, saved) or (
        isinstance(saved, ast.Name)
        and any(
            holds_object(there, given)
            for given, there in callers.given_by_known_calls(saved, facts)
        )
    )


def _is_loaded_as_state(facts: Facts, load: ast.Call) -> bool:
    """Whether what is loaded is handed to ``load_state_dict``, which takes tensors in a dict."""
    uses = [
        u
        for target, made in assigned_to(facts, load)
        for u in uses_of_assigned(facts, target, made)
    ]
    return any(
        isinstance(call := facts.parent(use), ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "load_state_dict"
        for use in (load, *uses)
    )


def holds_object(facts: Facts, saved: ast.expr | None, within: tuple[ast.expr, ...] = ()) -> bool:
    """Whether something that is saved is, or holds, more than tensors in containers.

    ``within`` are the containers around it, one of which it may be itself.
    """
    if saved is None or saved in within:
        return False
    if isinstance(saved, (ast.Dict, ast.List, ast.Tuple)):
        held = saved.values if isinstance(saved, ast.Dict) else saved.elts
        return any(holds_object(facts, value, (*within, saved)) for value in held)
    if isinstance(saved, ast.Name):
        bindings = facts.flow.reaching(saved)
        if len(bindings) == 1 and _is_built(bindings[0]):
            return holds_object(facts, bindings[0].value, within)
        # What was saved before, and is read and saved again, is what is made at first.
        made = [b for b in bindings if not _is_loaded(facts, b)]
        if made != [*bindings] and made:
            return all(_is_object(facts.inference.bound(b)) for b in made)
    if isinstance(saved, ast.Call) and _is_parse_args(saved):
        return True
    value = facts.value(saved)
    if isinstance(value, Unknown) and isinstance(saved, ast.Name):
        return is_called_as_module(facts, saved)
    return _is_object(value)


def _is_object(value: Value) -> bool:
    """Whether a value is more than a tensor or a container."""
    if isinstance(value, Imported):
        value = value.value
    is_other = isinstance(value, Foreign) and value.name in _REFUSED
    return is_other or isinstance(value, (Module, Instance, Array, Optimizer))


def _is_loaded(facts: Facts, binding: Binding) -> bool:
    """Whether a name gets what ``torch.load`` gives."""
    value = binding.written() if binding.kind == "assign" else None
    return isinstance(value, ast.Call) and facts.name(value.func) == "torch.load"


def _is_built(binding: Binding) -> bool:
    value = binding.value
    return (
        binding.kind == "assign"
        and not binding.path
        and (isinstance(value, ast.Dict) or (isinstance(value, ast.Call) and _is_parse_args(value)))
    )


def _is_parse_args(call: ast.Call) -> bool:
    """``args = parser.parse_args()`` is an ``argparse.Namespace``."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "parse_args"
