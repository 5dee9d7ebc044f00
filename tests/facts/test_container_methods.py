"""What is said of the methods of Python's containers, held against the containers."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Collection
from typing import Any

import pytest

from torchfix_codemods.facts.libraries import container_methods

ROWS = container_methods.table()
WORDS = {"puts", "spreads", "loses", "moves", "gives", "views", "asks", "tells"}
OLD, OTHER, NEW = "old", "other", "new"
MAKERS: dict[str, Callable[[], Any]] = {
    "list": lambda: [OTHER, OLD],
    "dict": lambda: {OTHER: OTHER, OLD: OLD},
    "set": lambda: {OTHER, OLD},
    "deque": lambda: deque([OTHER, OLD]),
    "queue": lambda: _queue(OTHER, OLD),
}
#: Calls in which a method does something; of the others any argument will do.
CALLS: dict[str, list[tuple[Any, ...]]] = {
    "add": [(NEW,)],
    "append": [(NEW,)],
    "appendleft": [(NEW,)],
    "count": [(OLD,)],
    "difference": [({OTHER},)],
    "difference_update": [({OLD},)],
    "discard": [(OLD,)],
    "extend": [([NEW],)],
    "extendleft": [([NEW],)],
    "get": [(), (OLD,)],
    "index": [(OLD,)],
    "insert": [(0, NEW)],
    "intersection": [({OLD},)],
    "intersection_update": [({OTHER},)],
    "isdisjoint": [({OLD},)],
    "issubset": [({OLD},)],
    "issuperset": [({OLD},)],
    "pop": [(), (0,), (OLD,)],
    "put": [(NEW,)],
    "remove": [(OTHER,)],
    "rotate": [(1,)],
    "setdefault": [(OLD, NEW), (NEW, NEW)],
    "symmetric_difference": [({NEW},)],
    "symmetric_difference_update": [({NEW, OLD},)],
    "union": [({NEW},)],
    "update": [({OLD: NEW},), ({NEW},)],
}


def _queue(*items: str) -> queue.Queue[str]:
    made: queue.Queue[str] = queue.Queue()
    for item in items:
        made.put(item)
    return made


def _held(container: Any) -> list[Any]:
    """What is in a container, in its order; of a dict, what stands under each key."""
    if isinstance(container, dict):
        return [container.get(key) for key in (OTHER, OLD, NEW)]
    if isinstance(container, set):
        return [item if item in container else None for item in (OTHER, OLD, NEW)]
    return [*(container.queue if isinstance(container, queue.Queue) else container)]


def _words_seen(kind: str, method: str, given: tuple[Any, ...]) -> set[str]:
    """What a call of a method does, in the words of the table; nothing where it is refused."""
    container = MAKERS[kind]()
    before = _held(container)
    try:
        result = getattr(container, method)(*given)
    except (TypeError, KeyError, IndexError, ValueError):
        return set()
    after = _held(container)
    found = {"puts"} if NEW in after and NEW not in before else set()
    if "puts" in found and NEW not in given:
        found.add("spreads")
    lost = {item for item in before if item is not None} - set(after)
    if lost and kind != "queue":
        found.add("loses")
    has_places = kind in ("list", "deque")
    if has_places and any(i in after and after.index(i) != before.index(i) for i in before):
        found.add("moves")
    if isinstance(result, (bool, int)):
        found.add("tells")
    elif result is not None and not {OLD, OTHER, NEW}.isdisjoint(_parts(result)):
        found.add("gives")
        if kind == "dict" and given[:1] == (result,):
            found.add("asks")
        size = len(_parts(result))
        if kind == "dict" and isinstance(result, Collection):
            container[NEW] = NEW
            found |= {"views"} if len(_parts(result)) > size else set()
    return found


def _parts(result: Any) -> list[Any]:
    items = [result] if isinstance(result, str) else [*result]
    return [part for item in items for part in (item if isinstance(item, tuple) else (item,))]


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_what_containers_do(name: str) -> None:
    kinds, words = ROWS[name]
    assert {kind for kind, make in MAKERS.items() if hasattr(make(), name)} == kinds
    seen = {
        word
        for kind in kinds
        for given in CALLS.get(name, [()])
        for word in _words_seen(kind, name, given)
    }
    assert seen == words <= WORDS


def test_rows_are_complete() -> None:
    for make in (list, dict, set, deque):
        methods = {name for name in dir(make) if not name.startswith("_")}
        # A class method, and the length that a deque is held to.
        assert methods - {"fromkeys", "maxlen"} <= ROWS.keys()


@pytest.mark.parametrize("name", ["write", "step", "add_", "zero_grad", "add_module", "maxlen", ""])
def test_nothing_is_said_of_others(name: str) -> None:
    questions = (
        container_methods.keeps,
        container_methods.adds,
        container_methods.alters,
        container_methods.displaces,
        container_methods.leaves_places,
        container_methods.only_reads,
        container_methods.gives_view,
        container_methods.keeps_nothing,
        container_methods.keeps_whole,
    )
    assert not any(question(name) for question in questions)


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (container_methods.keeps, "put", "get"),
        (container_methods.keeps, "push", "pop"),
        (container_methods.adds, "add", "update"),
        (container_methods.alters, "sort", "index"),
        (container_methods.displaces, "insert", "append"),
        (container_methods.leaves_places, "append", "reverse"),
        (container_methods.only_reads, "items", "setdefault"),
        (container_methods.gives_view, "keys", "get"),
        (container_methods.keeps_nothing, "pop", "extend"),
    ],
)
def test_questions(question: Callable[[str], bool], yes: str, no: str) -> None:
    assert question(yes) and not question(no)


def test_methods_by_kind() -> None:
    assert container_methods.keeping("list") == {"append", "extend", "insert"}
    assert container_methods.keeping("set") == {"add", "symmetric_difference_update", "update"}
    assert container_methods.is_of("deque", "rotate")
    assert not container_methods.is_of("list", "rotate")
