"""What numpy's functions give, by their qualified names.

``numpy_functions.csv`` has a line for each: what it ``gives`` (an ``array``, whatever it is given;
``numbers``, an array for arrays and numbers, while other objects do it themselves; ``between``, an
array of what lies between two numbers, and a tensor between two of these; an ``int`` or a ``float``
that was drawn, or an array of the ``size`` that is asked for; a ``generator``; a
``list``, a ``number`` or a ``text``, as methods of arrays do; ``nothing``), where ``dtype`` and
``size`` stand among its arguments, the ``default`` of its dtype, where that hangs on nothing that
it is given, or on its first argument alone (``=input``), or is one with fractions also for whole
numbers (``=floats``), whether it ``steps`` ``back`` through the memory of the array that it is
given, and how many dimensions (``ndim``) an array has that it gives: a number, as many as its first
argument (``=input``) or one more (``+1``), as many as its ``=size`` has, as it is given ``=sizes``,
as the ``=shape`` has that is asked for, or as its ``=data`` is deep.
"""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import cells

_OF_INPUT = "=input"
_OF_FLOATS = "=floats"
#: Their arguments are one dimension each.
_SIZE_IN_PARTS = frozenset({"numpy.random.rand", "numpy.random.randn"})


def gives(name: str) -> str:
    """What a function gives, as the table says it; an empty text for unknown ones.

    >>> gives("numpy.zeros"), gives("numpy.exp"), gives("numpy.random.randint")
    ('array', 'numbers', 'int')
    """
    return _row(name)[0]


def place_of_dtype(name: str) -> int | None:
    """Where the dtype stands among the arguments of a function; None where it takes none."""
    place = _row(name)[1]
    return int(place) if place else None


def default_dtype(name: str) -> str | None:
    """The dtype of what a function makes that is asked for none.

    >>> default_dtype("numpy.zeros"), default_dtype("numpy.array")
    ('float64', None)
    """
    default = _row(name)[3]
    return None if default.startswith("=") else default or None


def keeps_dtype(name: str) -> bool:
    """Whether what a function gives has the dtype of the array that it is given first.

    An array's method of that name does the same.

    >>> keeps_dtype("numpy.transpose"), keeps_dtype("numpy.sum")
    (True, False)
    """
    return _row(name)[3] == _OF_INPUT


def gives_floats(name: str) -> bool:
    """Whether what a function gives has no integers, whatever it is given, if not by ``dtype=``.

    >>> gives_floats("numpy.sqrt"), gives_floats("numpy.random.rand"), gives_floats("numpy.sum")
    (True, True, False)
    """
    gives, _, _, default, *_ = _row(name)
    return gives == "float" or default == _OF_FLOATS or default.startswith("float")


def place_of_size(name: str) -> int:
    """Where the size stands among the arguments of what draws numbers."""
    return int(_row(name)[2])


def takes_size(name: str, place: int) -> bool:
    """Whether an argument is the size of an array, or one of its dimensions: whole numbers.

    >>> takes_size("numpy.zeros", 0), takes_size("numpy.zeros", 1), takes_size("numpy.log", 0)
    (True, False, False)
    """
    size = _row(name)[2]
    return size != "" and (place == int(size) or name in _SIZE_IN_PARTS)


def steps_back(name: str) -> bool:
    """Whether a function gives a view that goes through an array from its end.

    >>> steps_back("numpy.flip"), steps_back("numpy.sort")
    (True, False)
    """
    return _row(name)[4] == "back"


def ndim_given(name: str) -> str:
    """How many dimensions an array has that a function gives, as the table says it.

    >>> ndim_given("numpy.eye"), ndim_given("numpy.exp"), ndim_given("numpy.random.rand")
    ('2', '=input', '=sizes')
    """
    return _row(name)[5]


def _row(name: str) -> list[str]:
    return _rows().get(name, ["", "", "", "", "", ""])


@functools.cache
def _rows() -> dict[str, list[str]]:
    return cells("numpy_functions.csv")
