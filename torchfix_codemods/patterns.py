"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What :func:`re.compile` gives, to be looked through with its own methods only.

    A run on one file needs few of the patterns that its modules hold, and to compile one takes as
    long as to import a small module.
    """
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._given = pattern, flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        """A method of the pattern; kept, so that it is found without a call from now on."""
        if self._compiled is None:
            self._compiled = re.compile(*self._given)
        method = getattr(self._compiled, name)
        setattr(self, name, method)
        return method
