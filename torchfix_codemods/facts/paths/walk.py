"""Following a value through the graph: what a question asks, and the way to the answer."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.evaluation.reached_returns import is_left_out
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.paths.graph import Content, Place, Use, use_of
from torchfix_codemods.record import record

Question = Callable[[Use], Iterable[Place] | None]
"""Says for a use where the value is to be followed on to; None where it is the answer."""

#: More places than these are not looked at: what is so widely used is out of sight.
_MOST_PLACES = 500

#: What lies deeper in containers is taken to lie anywhere.
_DEEPEST = 4


@record(eq=False)
class Trail:
    """The way of a value to the use that answers a question.

    Attributes:
        uses: what takes the value on the way, the answer last.
        is_cut: whether there were too many places to look at.
    """

    uses: tuple[Use, ...]
    is_cut: bool = False

    @property
    def end(self) -> Use:
        """The use that answers the question."""
        return self.uses[-1]

    def names(self) -> dict[str, int]:
        """The names and attributes that the value goes through, with the lines that give it to
        them."""
        return {
            ast.unparse(target): use.node.lineno
            for use in self.uses[:-1]
            for target, _ in use.targets()
        }


def follow(starts: Iterable[Place], question: Question) -> Trail | None:
    """The way to the first use that answers a question; None where no use does.

    Args:
        starts: the expressions that have the value first.
        question: what is asked of each use.
    """
    starts = list(starts)
    origin = starts[0] if len(starts) == 1 and _is_chosen_by_caller(starts[0]) else None
    pending: deque[tuple[Place, Use | None, Place | None]] = deque()
    pending.extend((place, None, origin) for place in starts)
    came: dict[Use, Use | None] = {}
    seen: set[tuple[object, Content, bool]] = set()
    while pending:
        place, before, origin = pending.popleft()
        key = place.node, place.content[:_DEEPEST], origin is not None
        if key in seen:
            continue
        seen.add(key)
        use = use_of(place)
        came[use] = before
        onward = question(use)
        if onward is None or len(seen) > _MOST_PLACES:
            return Trail(_way_to(use, came), is_cut=onward is not None)
        for next_place in onward:
            if origin is None or not _is_returned_to_another(origin, use, next_place):
                is_here = origin is not None and _is_in_this_call(origin, use, next_place)
                pending.append((next_place, use, origin if is_here else None))
    return None


def _is_in_this_call(origin: Place, use: Use, place: Place) -> bool:
    """Whether a value is still in the call of a function that it came from.

    What is given to the function, or kept by an object, may be of another call.
    """
    if place.node is use.by:
        return True
    if use.kind not in ("added", "augmented", "bound", "iterated", "unpacked"):
        return False
    names, node = place.facts.names, place.node
    function = origin.facts.names.enclosing_function(origin.node)
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    return found is not None and found[0].node is function


def _is_chosen_by_caller(origin: Place) -> bool:
    """Whether a test of what its function is given lets it come to a place: ``if log:``."""
    names = origin.facts.names
    function = names.enclosing_function(origin.node)
    if not isinstance(function, ast.FunctionDef):
        return False
    arguments = function.args
    given = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return any(
        isinstance(part, ast.Name) and part.id in given
        for test, _ in tests_passed(names, origin.node)
        for part in ast.walk(test)
    )


def _is_returned_to_another(origin: Place, use: Use, place: Place) -> bool:
    """Whether a call keeps its function from coming to the place that a value is from.

    ``net(x, log=True)`` never gives what ``forward`` makes of x below ``if not log:``.
    """
    function = origin.facts.names.enclosing_function(origin.node)
    if use.kind != "returned" or not isinstance(place.node, ast.Call):
        return False
    if not isinstance(function, ast.FunctionDef):
        return False
    return is_left_out(origin.facts.inference, function, place.node, origin.node)


def _way_to(use: Use, came: dict[Use, Use | None]) -> tuple[Use, ...]:
    way: list[Use] = []
    current: Use | None = use
    while current is not None:
        way.append(current)
        current = came[current]
    return tuple(reversed(way))
