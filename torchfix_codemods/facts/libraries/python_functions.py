"""What Python's own functions take and give: one row each, asked by name.

A line of ``python_functions.csv`` says first what is taken: a ``number``; ``iterable``, which is
gone through; a ``value``, whatever it is; an ``object``, of which only is asked what it is. Then
what is given: ``arithmetic`` (a number of numbers, a tensor of tensors), ``number``, ``truth``,
``text``, ``collection``, ``iterator`` (nothing is gone through yet), ``type``, ``nothing``.

Source: https://docs.python.org/3/library/functions.html
"""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import cells


def only_computes(name: str | None) -> bool:
    """Whether a function gives something new and changes nothing: all of these but ``print``.

    >>> only_computes("sorted"), only_computes("print"), only_computes("setattr")
    (True, False, False)
    """
    return name in table() and name not in ("print", "iter")


def keeps_nothing(name: str | None) -> bool:
    """Whether nobody else has what a function is given after it has run, but by its result."""
    return name == "print" or (only_computes(name) and name != "id")


def reports(name: str | None) -> bool:
    """Whether a function tells about what it is given, in a number, a truth or a text of Python."""
    return _gives(name) in ("number", "truth", "text", "nothing")


def writes(name: str | None) -> bool:
    """Whether a function writes a value as ``str`` does; ``format`` is told how."""
    is_text = _takes(name) == "value" and _gives(name) in ("text", "nothing")
    return is_text and name != "format"


def shows(name: str | None) -> bool:
    """Whether a function tells the value of what it is given, or calculates with it."""
    return _takes(name) in ("number", "iterable", "value") and (
        reports(name) or is_arithmetic(name)
    )


def is_arithmetic(name: str | None) -> bool:
    """Whether a function calculates: with numbers, and with tensors as with numbers."""
    return _gives(name) == "arithmetic"


def makes_number(name: str | None) -> bool:
    """Whether a function makes a number of Python of whatever is one number."""
    return _takes(name) == _gives(name) == "number"


def gives_data(name: str | None) -> bool:
    """Whether a function gives a number, a text or a collection, and so nothing to be called."""
    return _gives(name) in ("number", "truth", "text", "collection", "arithmetic")


def takes_data(name: str | None) -> bool:
    """Whether a function fails where it is given an object that is neither number nor iterable."""
    return _takes(name) in ("number", "iterable")


def walks(name: str | None) -> bool:
    """Whether a function goes through the elements of its argument, now or later."""
    return _takes(name) == "iterable" and name != "len"


def exhausts(name: str | None) -> bool:
    """Whether an iterator is empty after it was given to a function."""
    return walks(name) and _gives(name) != "iterator"


def _takes(name: str | None) -> str:
    return table().get(name or "", ("", ""))[0]


def _gives(name: str | None) -> str:
    return table().get(name or "", ("", ""))[1]


@functools.cache
def table() -> dict[str, tuple[str, str]]:
    """By function, what it takes and what it gives."""
    found = cells("python_functions.csv")
    return {function: (takes, gives) for function, (takes, gives) in found.items()}
