"""The words of a text, all at once."""

from __future__ import annotations

_OF_WORDS = frozenset(code for code in range(128) if chr(code).isalnum() or code == ord("_"))
_BETWEEN_WORDS = bytes(code if code in _OF_WORDS else ord(" ") for code in range(256))


def words_in(data: bytes) -> frozenset[bytes]:
    """The words of some bytes, in half the time that a pattern needs."""
    return frozenset(data.translate(_BETWEEN_WORDS).split())
