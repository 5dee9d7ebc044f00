"""What the methods of Python's lists, dicts, sets, deques and queues do.

A line of ``container_methods.csv`` says first which of these have the method, then what it does, in
whatever way it is called: ``puts`` what it is given into the container; ``loses`` something that
was in it, or puts another thing in its place; ``moves`` what is in it to other places; ``gives``
what is in it; ``views``: what it gives shows what comes in later, too; ``asks`` for what is kept by
its first argument; ``tells`` something of it, in a number or a truth; ``spreads`` what it is given,
and keeps what that holds.

Source: https://docs.python.org/3/library/stdtypes.html
"""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import cells


def is_of(kind: str, method: str) -> bool:
    """Whether a ``list``, ``dict``, ``set``, ``deque`` or ``queue`` has a method of that name."""
    return kind in _row(method)[0]


def keeps(method: str) -> bool:
    """Whether what a method is given is in the container afterwards.

    >>> keeps("append"), keeps("pop")
    (True, False)
    """
    # What programs call it themselves, in their replay memories.
    return method == "push" or _does(method, "puts")


def keeps_whole(method: str) -> bool:
    """Whether a method keeps the very object that it is given, and not what that holds.

    >>> keeps_whole("append"), keeps_whole("extend")
    (True, False)
    """
    return keeps(method) and not _does(method, "spreads")


@functools.cache
def keeping(kind: str) -> frozenset[str]:
    """The methods by which a container of that kind keeps what it is given.

    >>> sorted(keeping("list"))
    ['append', 'extend', 'insert']
    """
    return frozenset(name for name in table() if is_of(kind, name) and keeps(name))


def adds(method: str) -> bool:
    """Whether a method keeps what it is given, and all that was there before."""
    return keeps(method) and not _does(method, "loses")


def alters(method: str) -> bool:
    """Whether the container is another one afterwards: more, less, or in another order."""
    return _does(method, "puts", "loses", "moves")


def displaces(method: str) -> bool:
    """Whether what stood at a place may stand there no more: not of ``append``."""
    return _does(method, "loses", "moves")


def leaves_places(method: str) -> bool:
    """Whether what stood at a place certainly stands there afterwards."""
    return method in table() and not displaces(method)


def only_reads(method: str) -> bool:
    """Whether a method gives or tells something, and leaves the container as it is."""
    return method in table() and not alters(method)


def gives_view(method: str) -> bool:
    """Whether a method gives all that a dict holds, as ``items`` does."""
    return _does(method, "views")


@functools.cache
def viewing() -> frozenset[str]:
    """The methods that give all that a dict holds."""
    return frozenset(filter(gives_view, table()))


def asking() -> frozenset[str]:
    """The methods that give what a dict keeps by their first argument."""
    return frozenset(filter(asks_by_key, table()))


def asks_by_key(method: str) -> bool:
    """Whether a method gives what a dict keeps by its first argument, as ``get`` does."""
    return _does(method, "asks")


def keeps_nothing(method: str) -> bool:
    """Whether nothing comes into the container."""
    return method in table() and not keeps(method)


def _does(method: str, *words: str) -> bool:
    return not _row(method)[1].isdisjoint(words)


def _row(method: str) -> tuple[frozenset[str], frozenset[str]]:
    return table().get(method, (frozenset(), frozenset()))


@functools.cache
def table() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """By method, the containers that have it, and the words for what it does."""
    return {
        method: (frozenset(kinds.split()), frozenset(words.split()))
        for method, (kinds, words) in cells("container_methods.csv").items()
    }
