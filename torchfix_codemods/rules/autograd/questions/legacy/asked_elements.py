"""Elements of vectors that are asked whether they are tensors: numbers until torch 0.3."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.values.lattice import Tensor


def asked_elements(
    loop: ast.For, iterated: ast.expr, element: ast.Name, facts: Facts
) -> Iterator[tuple[ast.expr, str]]:
    """The tests for numbers among what a loop goes through, with what is said of them.

    ``if not torch.is_tensor(x):`` in ``for x in xs:``, where something in sight makes ``xs`` a
    vector.
    """
    tests = [
        choice.test
        for choice in facts.names.inside(loop, ast.If)
        if _asks_for_number(choice.test, element.id, facts)
    ]
    if not tests or facts.era_of(loop).needs((0, 4)):
        return
    vector = _made_as_vector(facts, iterated)
    if vector is None:
        return
    made = line_named(vector.node, vector.facts, facts)
    for test in tests:
        assert isinstance(test, ast.UnaryOp)
        asked, else_asked = ast.unparse(test.operand), f"{element.id}.dim() == 0"
        yield (
            test,
            f"{asked} is true of the elements of a vector since torch 0.4, as from {made}: "
            f"write {ast.unparse(test)} or {else_asked}",
        )


def _asks_for_number(test: ast.expr, element: str, facts: Facts) -> bool:
    """``not torch.is_tensor(x)``."""
    asked = test.operand if isinstance(test, ast.UnaryOp) else None
    return (
        isinstance(test, ast.UnaryOp)
        and isinstance(test.op, ast.Not)
        and isinstance(asked, ast.Call)
        and facts.name(asked.func) == "torch.is_tensor"
        and [ast.unparse(given) for given in asked.args] == [element]
    )


def _made_as_vector(facts: Facts, iterated: ast.expr) -> Place | None:
    """Where something makes the vector that is gone through, on one way at least."""
    vectors: list[Place] = []

    def before(place: Place) -> Iterable[Place] | None:
        value = None if place.content else place.facts.value(place.node)
        if not (isinstance(value, Tensor) and value.ndim == 1):
            return behind(place)
        vectors.append(place)
        # What is known to be a vector may have been made elsewhere.
        return behind(place) or None

    return found_behind([Place(facts, iterated)], before) or next(reversed(vectors), None)
