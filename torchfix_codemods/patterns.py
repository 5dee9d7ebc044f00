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


def word_pattern(word: bytes) -> re.Pattern[bytes]:
    """A pattern for a word that is no part of another one.

    It begins with the word, which is looked for seven times as fast as ``\\b``.
    """
    escaped = re.escape(word)
    return re.compile(rb"%s(?<=\b%s)\b" % (escaped, escaped))


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
