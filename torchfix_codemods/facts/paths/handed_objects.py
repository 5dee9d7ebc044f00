"""The calls of a module of the project, also where only another file tells which is called."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.attribute_reads import reads_of_kept
from torchfix_codemods.facts.paths.callers import (
    arguments_of,
    calls_of,
    constructions,
    others_with,
)
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.in_turn import is_of_others
from torchfix_codemods.facts.paths.named import class_named, function_run, is_one_file
from torchfix_codemods.facts.paths.uses import uses_of_attribute
from torchfix_codemods.facts.paths.uses_by_name import may_be_looked_up
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.torch_api import MODULE_WRAPPERS

#: More files than these are not looked at for one word.
_MOST_FILES = 100
#: What gives the modules in a module away, or changes what a call of it runs.
_PARTS = ("children", "named_children", "_modules", "get_submodule", "register_forward_pre_hook")
#: Functions of Python that ask an object something, and do not call it.
_ASKING = frozenset({"isinstance", "super", "len", "print", "type", "id", "hasattr"})
#: How a module is taken where nothing is done with it.
_IDLE = frozenset({"asked", "compared", "formatted", "index", "statement", "tested"})


def met_with(word: str, facts: Facts) -> Iterator[Facts]:
    """The other files that hold a word, of those that one program may run with this one.

    Of a word that very many hold these are the nearest.
    """
    own = facts.files
    met = [] if own is None else [f for f in own.mentioning(word) or () if own.may_meet(f.path)]
    if own is not None and len(met) > _MOST_FILES:
        met = sorted(met, key=lambda file: _steps_between(own.path, file.path))[:_MOST_FILES]
    yield from filter(None, map(facts_of, met))


def _steps_between(path: Path, other: Path) -> tuple[int, Path]:
    """How many folders lie between two files."""
    shared = len(os.path.commonpath([path, other]).split(os.sep))
    return len(path.parts) + len(other.parts) - 2 * shared, other


def calls_of_objects(facts: Facts, owner: ast.ClassDef) -> list[tuple[ast.Call, Facts]]:
    """``self.decoder(x)`` of an object that is given ``Decoder(n)`` when it is made, elsewhere.

    Args:
        facts: the facts of the file that defines the class.
        owner: the class.

    Returns:
        the calls with their files, as far as the values of their own files do not tell them.
    """
    return facts.remembered(("calls of objects", owner), lambda: _calls_of(facts, owner))


def _calls_of(facts: Facts, owner: ast.ClassDef) -> list[tuple[ast.Call, Facts]]:
    found: list[tuple[ast.Call, Facts]] = []

    def onward(use: Use) -> Iterable[Place]:
        if use.kind == "other" and isinstance(use.by, ast.Call) and use.by.func is use.node:
            is_new = all(call is not use.by for call, _ in found)
            if is_new and function_run(use.node, use.facts) is None:
                found.append((use.by, use.facts))
            return ()
        return places_after(use)

    for there in (facts, *met_with(owner.name, facts)):
        for call in there.names.nodes.get(ast.Call, ()):
            assert isinstance(call, ast.Call)
            made = class_named(call.func, there)
            if made is not None and made[1].name == owner.name and is_one_file(facts, made[0]):
                follow([Place(there, call)], onward)
    return found


def places_after(use: Use) -> Iterable[Place]:
    """Where an object is next: under a name, in an attribute of ``self``, in a parameter.

    Args:
        use: what takes the object.
    """
    if use.kind == "bound":
        kept = (target for target, _ in use.targets() if isinstance(target, ast.Attribute))
        reads = (each for target in kept for each in uses_of_attribute(use.facts, target))
        return [*use.named(), *(Place(use.facts, each) for each in reads)]
    if use.kind == "argument":
        return use.taken()
    if use.kind == "returned":
        return use.returned()
    if use.kind == "method" and isinstance(use.by, ast.Call):
        method = use.by.func
        is_same = isinstance(method, ast.Attribute) and torch_table.gives_its_module(method.attr)
        return use.result() if is_same else ()
    return ()


def arguments_of_all_applications(
    function: ast.FunctionDef, parameter: ast.arg, facts: Facts
) -> list[tuple[Facts, ast.expr]] | None:
    """What all calls of the modules of a class give a parameter of its ``forward``.

    Args:
        function: the ``forward``.
        parameter: one of its parameters.
        facts: the facts of the file that defines the class.

    Returns:
        the arguments with their files; None where a call may be out of sight.
    """
    owner = facts.parent(function)
    if not isinstance(owner, ast.ClassDef) or facts.classes.is_wrapped(function):
        return None
    calls = facts.remembered(("applications", owner), lambda: _applications(facts, owner))
    return None if calls is None else arguments_of(calls, function, parameter, facts)


def _applications(facts: Facts, owner: ast.ClassDef) -> list[tuple[ast.Call, Facts]] | None:
    """All calls of the modules of a class; None where one may be out of sight."""
    if facts.classes.kind(owner) != "module":
        return None
    if not all(is_of_others(base, facts) for base in owner.bases):
        return None
    made = constructions(owner, facts)
    if not made or any(_is_mentioned(part, facts) for part in _PARTS):
        return None
    found: list[tuple[ast.Call, Facts]] = []
    starts = [*(Place(there, call) for call, there in made), *_selves(facts, owner)]
    trail = follow(starts, functools.partial(_until_called, found))
    return found if trail is None else None


def _is_mentioned(word: str, facts: Facts) -> bool:
    return facts.is_mentioned(word) or next(others_with(word, facts), None) is not None


def _selves(facts: Facts, owner: ast.ClassDef) -> Iterator[Place]:
    """Where the methods of a class read the object that they are called on."""
    for method in owner.body:
        if isinstance(method, ast.FunctionDef):
            name = facts.classes.self_name(method)
            scope = facts.names.scopes[method]
            for use in () if name is None else facts.names.uses_of(scope, name):
                yield Place(facts, use)


def _until_called(found: list[tuple[ast.Call, Facts]], use: Use) -> Iterable[Place] | None:
    """Where a module goes on its way to its calls; None where it goes out of sight.

    The calls are added to ``found``.
    """
    facts, by = use.facts, use.by
    if use.kind in _IDLE:
        return ()
    if use.kind in ("chosen", "element", "item"):
        return use.result()
    if use.kind in ("bound", "unpacked", "iterated"):
        return _kept(use)
    if use.kind == "returned":
        return _given_back(use)
    if use.kind == "argument" and isinstance(by, ast.Call):
        if facts.names.builtin(by.func) in _ASKING:
            return ()
        if facts.name(by.func) in MODULE_WRAPPERS and not use.place.content:
            return use.result()
        return use.taken() if use.parameters() else None
    if use.place.content:
        return None
    if use.kind == "other" and isinstance(by, ast.Call) and by.func is use.node:
        found.append((by, facts))
        return ()
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        if by.func.attr in ("forward", "__call__", "module"):
            found.append((by, facts))
            return ()
        return use.result() if torch_table.gives_its_module(by.func.attr) else ()
    if use.kind in ("attribute", "put into") and isinstance(by, ast.Attribute):
        is_run = by.attr in ("forward", "__call__", "__dict__")
        return None if is_run else use.result() if by.attr == "module" else ()
    return None


def _kept(use: Use) -> list[Place] | None:
    """Where the names and attributes are read that get a module; None where others may be."""
    facts, places = use.facts, [*use.named()]
    for target, content in use.targets():
        if isinstance(target, ast.Name):
            found = facts.names.scope_of(target).lookup(target.id)
            is_seen = found is None or found[0].kind != "function"
            if is_seen and (facts.files is None or facts.files.is_used_elsewhere(target.id)):
                return None
        elif isinstance(target, ast.Attribute):
            reads = reads_of_kept(facts, target, in_project=True)
            is_asked = facts.files is None or may_be_looked_up(target.attr, facts, facts.files)
            if reads is None or is_asked:
                return None
            places += [Place(each.facts, each.node, content) for each in reads]
        else:
            return None
    return places


def _given_back(use: Use) -> list[Place] | None:
    """The calls of the function that returns a module; None where one may be out of sight."""
    facts = use.facts
    function = facts.names.enclosing_function(use.by)
    if not isinstance(function, ast.FunctionDef) or facts.files is None:
        return None
    if facts.classes.is_wrapped(function):
        return None
    calls = calls_of(facts, facts.files, function)
    return [Place(there, call, use.place.content) for call, there in calls] or None
