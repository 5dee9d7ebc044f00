"""What the methods of Python's lists, dicts, sets, deques and queues do: one row each.

A row says first which of these have the method, then what it does, in whatever way it is called:
``puts`` what it is given into the container; ``loses`` something that was in it, or puts another
thing in its place; ``moves`` what is in it to other places; ``gives`` what is in it; ``views``:
what it gives shows what comes in later, too; ``tells`` something of it, in a number or a truth.

Source: https://docs.python.org/3/library/stdtypes.html
"""

from __future__ import annotations

import functools

_ROWS = {
    "add": ("set", "puts"),
    "append": ("list deque", "puts"),
    "appendleft": ("deque", "puts moves"),
    "clear": ("list dict set deque", "loses"),
    "copy": ("list dict set deque", "gives"),
    "count": ("list deque", "tells"),
    "difference": ("set", "gives"),
    "difference_update": ("set", "loses"),
    "discard": ("set", "loses"),
    "extend": ("list deque", "puts"),
    "extendleft": ("deque", "puts moves"),
    # A queue, whose places nobody asks for, loses what it gives.
    "get": ("dict queue", "gives"),
    "index": ("list deque", "tells"),
    "insert": ("list deque", "puts moves"),
    "intersection": ("set", "gives"),
    "intersection_update": ("set", "loses"),
    "isdisjoint": ("set", "tells"),
    "issubset": ("set", "tells"),
    "issuperset": ("set", "tells"),
    "items": ("dict", "gives views"),
    "keys": ("dict", "gives views"),
    "pop": ("list dict set deque", "loses moves gives"),
    "popitem": ("dict", "loses gives"),
    "popleft": ("deque", "loses moves gives"),
    "put": ("queue", "puts"),
    "remove": ("list set deque", "loses moves"),
    "reverse": ("list deque", "moves"),
    "rotate": ("deque", "moves"),
    "setdefault": ("dict", "puts gives"),
    "sort": ("list", "moves"),
    "symmetric_difference": ("set", "gives"),
    "symmetric_difference_update": ("set", "puts loses"),
    "union": ("set", "gives"),
    "update": ("dict set", "puts loses"),
    "values": ("dict", "gives views"),
}


def is_of(kind: str, method: str) -> bool:
    """Whether a ``list``, ``dict``, ``set``, ``deque`` or ``queue`` has a method of that name."""
    return method in _ROWS and kind in _ROWS[method][0].split()


def keeps(method: str) -> bool:
    """Whether what a method is given is in the container afterwards.

    >>> keeps("append"), keeps("pop")
    (True, False)
    """
    # What programs call it themselves, in their replay memories.
    return method == "push" or _does(method, "puts")


@functools.cache
def keeping(kind: str) -> frozenset[str]:
    """The methods by which a container of that kind keeps what it is given.

    >>> sorted(keeping("list"))
    ['append', 'extend', 'insert']
    """
    return frozenset(name for name in _ROWS if is_of(kind, name) and keeps(name))


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
    return method in _ROWS and not displaces(method)


def only_reads(method: str) -> bool:
    """Whether a method gives or tells something, and leaves the container as it is."""
    return method in _ROWS and not alters(method)


def gives_view(method: str) -> bool:
    """Whether a method gives all that a dict holds, as ``items`` does."""
    return _does(method, "views")


def keeps_nothing(method: str) -> bool:
    """Whether nothing comes into the container."""
    return method in _ROWS and not keeps(method)


def _does(method: str, *words: str) -> bool:
    return method in _ROWS and not set(words).isdisjoint(_ROWS[method][1].split())
