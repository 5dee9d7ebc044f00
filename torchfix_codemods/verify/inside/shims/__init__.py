"""Stand-ins for what a program needs and this machine, or today's torch, does not have.

They go in place before the program imports anything, in the order ``cuda``, ``datasets``,
``legacy``. None of them draws a random number.
"""

from __future__ import annotations

import importlib
from typing import Callable


def install(name: str, is_users: Callable[[str], bool]) -> None:
    """Put one stand-in in place.

    Args:
        name: ``cuda``, ``legacy`` or ``datasets``.
        is_users: whether a file, given by name, is the user's.
    """
    module = importlib.import_module("." + name, __name__)
    if name == "legacy":
        module.install(is_users)
    else:
        module.install()
