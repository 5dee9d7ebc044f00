"""Options that several commands have, as one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def together(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """A decorator that gives a command several options; ``--help`` lists them in this order."""

    def decorated(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated
