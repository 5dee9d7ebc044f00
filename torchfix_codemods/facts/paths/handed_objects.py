"""The calls of a module of the project where only another file tells which module is called."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import class_named, function_run, is_one_file
from torchfix_codemods.facts.paths.uses import uses_of_attribute
from torchfix_codemods.facts.paths.walk import follow

#: More files than these are not looked at for one word.
_MOST_FILES = 100


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
        return _places_after(use)

    for there in (facts, *met_with(owner.name, facts)):
        for call in there.names.nodes.get(ast.Call, ()):
            assert isinstance(call, ast.Call)
            made = class_named(call.func, there)
            if made is not None and made[1].name == owner.name and is_one_file(facts, made[0]):
                follow([Place(there, call)], onward)
    return found


def _places_after(use: Use) -> Iterable[Place]:
    """Where an object is next: under a name, in an attribute of ``self``, in a parameter."""
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
