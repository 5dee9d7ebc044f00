"""Following a value through the graph: what a question asks, and the way to the answer."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable

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
    pending: deque[tuple[Place, Use | None]] = deque((place, None) for place in starts)
    came: dict[Use, Use | None] = {}
    seen: set[tuple[object, Content]] = set()
    while pending:
        place, before = pending.popleft()
        key = place.node, place.content[:_DEEPEST]
        if key in seen:
            continue
        seen.add(key)
        use = use_of(place)
        came[use] = before
        onward = question(use)
        if onward is None or len(seen) > _MOST_PLACES:
            return Trail(_way_to(use, came), is_cut=onward is not None)
        pending += [(next_place, use) for next_place in onward]
    return None


def _way_to(use: Use, came: dict[Use, Use | None]) -> tuple[Use, ...]:
    way: list[Use] = []
    current: Use | None = use
    while current is not None:
        way.append(current)
        current = came[current]
    return tuple(reversed(way))
