"""Tests that take with `next` of what a function was given, and so want no list."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from pathlib import Path

from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.uses import uses_given_by, uses_of_attribute
from torchfix_codemods.facts.programs.stand_ins import Use, recorded
from torchfix_codemods.rules.training.questions.exhausted import (
    TAKERS,
    call_of,
    claim,
)


def _takers(facts: Facts, assign: ast.Assign) -> frozenset[str]:
    """The functions that go through what is assigned, by their plain names."""
    target = assign.targets[0]
    uses: Sequence[ast.expr] = ()
    if isinstance(target, ast.Name):
        uses = uses_given_by(facts, assign, target.id)
    elif isinstance(target, ast.Attribute):
        uses = uses_of_attribute(facts, target)
    calls = (call_of(facts, use) for use in uses)
    names = (facts.name(call.func) or "" for call in calls if call is not None)
    return frozenset(_plain(name) for name in names if name in TAKERS)


def _plain(name: str) -> str:
    """The last part of a qualified name, without the underscore that it may have got since."""
    return last_part(name).rstrip("_")


def _files(facts: Facts, words: Collection[str]) -> list[tuple[Path, Facts]]:
    """This file, and the other ones of the project that hold one of some words."""
    if facts.files is None:
        return []
    others = {f for word in words for f in facts.files.mentioning(word) or ()}
    read = ((file.path, facts_of(file)) for file in sorted(others, key=lambda file: file.path))
    return [(facts.files.path, facts), *((p, there) for p, there in read if there is not None)]


def _spellings(takers: Collection[str]) -> list[str]:
    return [name + end for name in takers for end in ("", "_")]


def asked_for_next(facts: Facts, assign: ast.Assign) -> list[Use]:
    """What ``next`` gets in tests that see a function called with what is assigned."""
    takers = _takers(facts, assign)
    return [
        Use(path, there, call.args[0])
        for path, there in _files(facts, _spellings(takers))
        for call in there.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and _plain(taker_asked_for_next(there, call) or "") in takers
    ]


def taker_asked_for_next(facts: Facts, call: ast.Call) -> str | None:
    """Which function a mock stands for of whose argument ``next`` takes something."""
    if not call.args or facts.names.builtin(call.func) != "next":
        return None
    name = recorded(facts, call.args[0])
    return last_part(name) if name is not None and name in TAKERS else None


def exhausted(facts: Facts, taker: str) -> list[Use]:
    """The assignments that should make a list for a function."""
    return [
        Use(path, there, node)
        for path, there in _files(facts, _spellings([_plain(taker)]))
        for node in there.names.nodes.get(ast.Assign, ())
        if isinstance(node, ast.Assign) and claim(there, node) is not None
        if _plain(taker) in _takers(there, node)
    ]
