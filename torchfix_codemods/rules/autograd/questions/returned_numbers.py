"""Elements that a function returns: numbers until torch 0.3 for all that call it, wherever."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.called import returned_anywhere
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.rules.autograd.questions.legacy.wanted_numbers import shows

_PARTS = ("attribute", "item", "iterated", "method", "put into", "unpacked")


def is_returned_as_number(facts: Facts, element: ast.expr) -> bool:
    """Whether a tensor in place of a number is noticed where a function returns it to.

    What a caller asks for a part of, as for ``action.item()``, is no number to it.

    Args:
        facts: the facts of the module.
        element: an element of a tensor, which was a number until 0.3.
    """
    results = _results(facts, element)
    return (
        bool(results)
        and follow(results, _is_read_in_parts) is None
        and follow(results, _is_noticed) is not None
    )


def _results(facts: Facts, element: ast.expr) -> list[Place]:
    """The calls in the project that give the element, or something that holds it."""
    results: list[Place] = []

    def onward(use: Use) -> Iterable[Place]:
        if use.kind != "returned":
            return _as_it_is(use)
        results.extend(returned_anywhere(use))
        return ()

    follow([Place(facts, element)], onward)
    return results


def _as_it_is(use: Use) -> Iterable[Place]:
    """Where the value goes that nothing is calculated with."""
    if use.kind == "bound":
        return use.named()
    is_display = use.kind == "element" and isinstance(use.by, (ast.List, ast.Tuple))
    is_taken_out = use.kind == "item" and bool(use.place.content)
    is_chosen = use.kind == "chosen" and isinstance(use.by, ast.IfExp)
    return use.result() if is_display or is_taken_out or is_chosen else ()


def _is_read_in_parts(use: Use) -> Iterable[Place] | None:
    if use.kind in _PARTS and not use.place.content:
        return None
    return returned_anywhere(use) if use.kind == "returned" else _as_it_is(use)


def _is_noticed(use: Use) -> Iterable[Place] | None:
    if not use.place.content and shows(use.facts, use.node):
        return None
    return returned_anywhere(use) if use.kind == "returned" else _as_it_is(use)
