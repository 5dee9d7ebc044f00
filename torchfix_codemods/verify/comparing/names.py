"""What two programs call the same thing: classes and layers may have other names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchfix_codemods.verify.runs import Event

#: Events that tell of a module by the name of its class.
_OF_MODULES = frozenset({"forward", "final"})


@dataclass
class Names:
    """The names of one program that stand for those of another, one for one."""

    _theirs: dict[str, str] = field(default_factory=dict)
    _ours: dict[str, str] = field(default_factory=dict)

    def fits(self, ours: str, theirs: str) -> bool:
        """Whether a name may stand for another one."""
        return self._theirs.get(ours, theirs) == theirs and self._ours.get(theirs, ours) == ours

    def match(self, ours: str, theirs: str) -> bool:
        """Whether a name may stand for another one, as it did before."""
        if not self.fits(ours, theirs):
            return False
        self._theirs[ours], self._ours[theirs] = theirs, ours
        return True

    def of_parameter(self, theirs: str) -> str:
        """What the first program calls a parameter, where the name of its module is known."""
        module, dot, rest = theirs.partition(".")
        return self._ours.get(module, module) + dot + rest


def with_same_names(a: Event, b: Event, names: Names) -> Event:
    """The second of two events, with the names of the first where they stand for one another.

    Args:
        a: an event.
        b: what happened in its place.
        names: what was found so far.
    """
    result = b
    if a["kind"] in _OF_MODULES and names.match(a.get("root", ""), b.get("root", "")):
        result = {**result, "root": a.get("root")}
    if isinstance(a.get("grads"), dict) and isinstance(b.get("grads"), dict):
        result = {**result, "grads": dict(_renamed(list(a["grads"].items()), b["grads"].items()))}
    if a["kind"] == "final":
        result = {**result, "value": _module(a["value"], b["value"])}
    return result


def without_bare(ours: Sequence[Event], theirs: Sequence[Event]) -> tuple[list[int], list[int]]:
    """Which events of two streams stand beside one another: all, or all but calls of modules
    without parameters where that makes them alike: a loss may be a module or a function.

    Returns:
        the numbers of the events of each stream.
    """
    every = list(range(len(ours))), list(range(len(theirs)))
    if _kinds(ours, every[0]) == _kinds(theirs, every[1]):
        return every
    fewer = (
        [index for index in every[0] if not ours[index].get("bare")],
        [index for index in every[1] if not theirs[index].get("bare")],
    )
    return fewer if _kinds(ours, fewer[0]) == _kinds(theirs, fewer[1]) else every


def _kinds(events: Sequence[Event], indices: Sequence[int]) -> list[str]:
    return [events[index]["kind"] for index in indices]


def _module(a: Any, b: Any) -> Any:
    ours, theirs = a.get("i", {}), b.get("i", {})
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return b
    items = _renamed(ours.get("i", []), theirs.get("i", []))
    return {**b, "t": a["t"], "i": {**theirs, "i": items}}


def _renamed(ours: Iterable[Any], theirs: Iterable[Any]) -> list[list[Any]]:
    """Named values with the names of others in their places, if there are as many."""
    keys, own = [key for key, _ in ours], [[key, value] for key, value in theirs]
    if len(keys) != len(own) or set(keys) == {key for key, _ in own}:
        return own
    return [[key, value] for key, (_, value) in zip(keys, own, strict=True)]
