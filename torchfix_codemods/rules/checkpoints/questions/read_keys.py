"""Dicts that are known again by their keys: one that is saved with an object, and read back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths import callers
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    file_name,
    loaded_path,
    other_path,
    saved_object,
    saved_path,
)
from torchfix_codemods.rules.checkpoints.questions.object_uses import (
    assigned_to,
    is_read_as_object,
    uses_of_assigned,
)
from torchfix_codemods.rules.checkpoints.questions.pickled_objects import holds_object

#: The items of a dict by their keys, each with all that is put there.
_Items = dict[str, list[ast.expr]]


def reads_back_object(facts: Facts, load: ast.Call) -> bool:
    """Whether ``torch.load`` reads a dict that this file writes down with an object in it.

    The path may be any: the keys that are read are those of the dict, which is saved here, or by a
    function of the project that is given it. One key alone is enough in two methods of a class.
    ``{"config": self.config}`` holds an object where ``self.config.save_dir`` is read, which no
    dict has.
    """
    keys = _keys_read(facts, load)
    if not keys:
        return False
    here = [
        (save, items)
        for save in calls_of(facts, "torch.save")
        for items in _saved_here(facts, save)
        if keys <= items.keys() and not other_path(facts, saved_path(save), loaded_path(load))
    ]
    if any(
        _holds_shown_object(facts, items)
        for save, items in here
        if len(keys) > 1 or _are_two_methods(facts, save, load)
    ):
        return True
    if len(keys) < 2 or here:
        return False
    return _is_saved_elsewhere(facts, keys) or _is_saved_by_others(facts, load, keys)


def _are_two_methods(facts: Facts, save: ast.Call, load: ast.Call) -> bool:
    """Whether one method of a class saves, as nothing else there does, and another one loads."""
    owner = facts.names.enclosing_class(load)
    methods = {facts.names.enclosing_function(call) for call in (save, load)}
    saves = [c for c in calls_of(facts, "torch.save") if facts.names.enclosing_class(c) is owner]
    return owner is not None and len(methods) == 2 and saves == [save]


def _keys_read(facts: Facts, load: ast.Call) -> frozenset[str]:
    """The texts by which items of a loaded dict are taken: ``checkpoint["epoch"]``."""
    uses = [
        use
        for target, statement in assigned_to(facts, load)
        for use in uses_of_assigned(facts, target, statement)
    ]
    return frozenset(
        parent.slice.value
        for use in (load, *uses)
        if isinstance(parent := facts.parent(use), ast.Subscript)
        and parent.value is use
        and isinstance(parent.slice, ast.Constant)
        and isinstance(parent.slice.value, str)
    )


def _saved_here(facts: Facts, save: ast.Call) -> Iterator[_Items]:
    """The dicts of this file that a call saves, also as what its function is given."""
    return (items for home, items in _saved(facts, save) if home is facts)


def _saved(facts: Facts, save: ast.Call) -> Iterator[tuple[Facts, _Items]]:
    """The dicts that a call saves, also as what its function is given in any file, with theirs."""
    saved = saved_object(save)
    items = None if saved is None else _items_of(facts, saved)
    if items is not None:
        yield facts, items
    elif isinstance(saved, ast.Name):
        for given, there in callers.given_by_known_calls(saved, facts):
            items = None if given is None else _items_of(there, given)
            if items is not None:
                yield there, items


def _is_saved_by_others(facts: Facts, load: ast.Call, keys: frozenset[str]) -> bool:
    """Whether all dicts with those keys that other files save hold an object.

    Of two names of a file that are known, another one is another file.
    """
    name = file_name(facts, loaded_path(load))
    saved = [
        (home, items)
        for there in callers.others_with("torch.save", facts)
        for save in calls_of(there, "torch.save")
        if name is None or file_name(there, saved_path(save)) in (None, name)
        for home, items in _saved(there, save)
        if keys <= items.keys()
    ]
    return bool(saved) and all(_holds_shown_object(home, items) for home, items in saved)


def _is_saved_elsewhere(facts: Facts, keys: frozenset[str]) -> bool:
    """Whether a function of another file saves a dict with those keys, which it is given here."""
    dicts = facts.names.nodes.get(ast.Dict, ())
    written = (_items_written(node) for node in dicts if isinstance(node, ast.Dict))
    if facts.files is None or all(keys.isdisjoint(items) for items in written):
        return False
    return any(
        home.files is not None
        and home.files.path == facts.files.path
        and keys <= items.keys()
        and _holds_shown_object(home, items)
        for there in callers.others_with("torch.save", facts)
        for save in calls_of(there, "torch.save")
        for home, items in _saved(there, save)
    )


def _items_of(facts: Facts, saved: ast.expr) -> _Items | None:
    """The items of a dict that is written down, directly or by the name it has."""
    if isinstance(saved, ast.Dict):
        return _items_written(saved)
    bindings = facts.flow.reaching(saved) if isinstance(saved, ast.Name) else ()
    written = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
    if not isinstance(saved, ast.Name) or not isinstance(written, ast.Dict):
        return None
    items = _items_written(written)
    for use in facts.names.scope_of(saved).uses.get(saved.id, ()):
        store, key = facts.parent(use), ""
        if isinstance(store, ast.Subscript) and isinstance(store.slice, ast.Constant):
            key = str(store.slice.value)
        statement = facts.parent(store) if key and store is not None else None
        if isinstance(statement, ast.Assign) and store in statement.targets:
            items.setdefault(key, []).append(statement.value)
    return items


def _items_written(written: ast.Dict) -> _Items:
    keys = [key.value if isinstance(key, ast.Constant) else None for key in written.keys]
    return {k: [v] for k, v in zip(keys, written.values, strict=True) if isinstance(k, str)}


def _holds_shown_object(facts: Facts, items: _Items) -> bool:
    return any(_is_shown_object(facts, value) for values in items.values() for value in values)


def _is_shown_object(facts: Facts, saved: ast.expr) -> bool:
    """Whether a value is an object, or is used as no dict, tensor or number can be."""
    if holds_object(facts, saved):
        return True
    if isinstance(saved, ast.Attribute):
        if _is_read_as_object_of_self(facts, saved) or _gets_object(facts, saved):
            return True
        saved = _given_to(facts, saved) or saved
    if not isinstance(saved, ast.Name):
        return False
    bindings = facts.flow.reaching(saved)
    if len(bindings) > 1:
        # ``logger = None`` comes before ``logger = Logger()``.
        return any(b.kind == "assign" and holds_object(facts, b.written()) for b in bindings)
    if len(bindings) != 1 or bindings[0].kind != "parameter":
        return False
    scope = facts.names.scope_of(saved)
    return len(scope.bindings.get(saved.id, ())) == 1 and any(
        _is_read(facts, use) for use in scope.uses.get(saved.id, ())
    )


def _is_read_as_object_of_self(facts: Facts, saved: ast.Attribute) -> bool:
    """Whether a method of the class reads ``self.config.save_dir``, where that is set once."""
    owner = facts.names.enclosing_class(saved)
    return _given_to(facts, saved) is not None and any(
        same_expression(use, saved) and _is_read(facts, use)
        for use in facts.names.attributes(saved.attr)
        if facts.names.enclosing_class(use) is owner
    )


def _is_read(facts: Facts, use: ast.expr) -> bool:
    """Whether an attribute is read that neither a tensor nor a container has."""
    read = facts.parent(use)
    is_of_dict = isinstance(read, ast.Attribute) and container_methods.is_of("dict", read.attr)
    return is_read_as_object(facts, use) and not is_of_dict


def _gets_object(facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether all that ``self.best`` gets after a constant is an object: ``self.best = score``.

    So is a number of numpy one, as ``np.mean(scores)``.
    """
    given = [None if each.path else each.value for each in _sources(facts, attribute)]
    made = [each for each in given if each is None or not _is_constant(each)]
    return bool(made) and all(holds_object(facts, each) for each in made)


def _is_constant(node: ast.expr) -> bool:
    """``0``, ``-1.0``, ``None``."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _given_to(facts: Facts, attribute: ast.Attribute) -> ast.expr | None:
    """What ``self.config`` is assigned, where that is done once."""
    sources = _sources(facts, attribute)
    return sources[0].value if len(sources) == 1 and not sources[0].path else None


def _sources(facts: Facts, attribute: ast.Attribute) -> list[Binding]:
    """All that gives ``self.config`` a value."""
    owner = facts.names.enclosing_class(attribute)
    method = facts.names.enclosing_function(attribute)
    if owner is None or not isinstance(method, ast.FunctionDef):
        return []
    if getattr(attribute.value, "id", "") != facts.classes.self_name(method):
        return []
    return facts.classes.attribute_sources(owner, attribute.attr)
