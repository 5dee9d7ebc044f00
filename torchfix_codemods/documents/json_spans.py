"""JSON with the place of every value in its text, so that one can be replaced and no other byte."""

from __future__ import annotations

import json
import re
from typing import Any

from torchfix_codemods.record import record

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_PIECE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_ESCAPED_ASCII = re.compile(r"\\u00[2-7][0-9a-fA-F]")


@record
class Value:
    """A value: where it stands, and what it is.

    ``content`` is a dict of values by key, a list of values, or a string, number, bool or None.
    """

    start: int
    end: int
    content: Any

    def get(self, key: str) -> Value | None:
        """A value of an object by its key; None where there is none, or this is no object."""
        found = self.content.get(key) if isinstance(self.content, dict) else None
        return found if isinstance(found, Value) else None

    def string(self, key: str) -> str | None:
        """A string of an object by its key."""
        found = self.get(key)
        content = None if found is None else found.content
        return content if isinstance(content, str) else None


def parse(text: str) -> Value:
    """Parse a text.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    json.loads(text)
    return _value(text, _skip(text, 0))


def _value(text: str, start: int) -> Value:
    first = text[start]
    if first == '"':
        string, end = _string(text, start)
        return Value(start, end, string)
    if first == "{":
        return _object(text, start)
    if first == "[":
        return _array(text, start)
    match = _SCALAR.match(text, start)
    assert match is not None
    return Value(start, match.end(), json.loads(match[0]))


def _object(text: str, start: int) -> Value:
    content: dict[str, Value] = {}
    position = _skip(text, start + 1)
    while text[position] != "}":
        key, position = _string(text, position)
        value = _value(text, _skip(text, _skip(text, position) + 1))
        content[key] = value
        position = _after_comma(text, value.end)
    return Value(start, position + 1, content)


def _array(text: str, start: int) -> Value:
    content: list[Value] = []
    position = _skip(text, start + 1)
    while text[position] != "]":
        content.append(_value(text, position))
        position = _after_comma(text, content[-1].end)
    return Value(start, position + 1, content)


def _string(text: str, start: int) -> tuple[str, int]:
    string: str
    string, end = _DECODER.raw_decode(text, start)
    return string, end


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return position if match is None else match.end()


def _after_comma(text: str, position: int) -> int:
    position = _skip(text, position)
    return _skip(text, position + 1) if text[position] == "," else position


class Spelling:
    """How a document writes its strings.

    Args:
        text: the document.
    """

    def __init__(self, text: str) -> None:
        self._is_ascii = text.isascii() and re.search(r"\\u(?!00[0-7])", text) is not None
        # Some writers also escape < and >.
        escapes = {json.loads(f'"{e}"'): e for e in set(_ESCAPED_ASCII.findall(text))}
        self._escapes = {c: e for c, e in escapes.items() if c not in text}

    def write(self, string: str) -> str:
        """A string as the document writes it, without quotes."""
        written = json.dumps(string, ensure_ascii=self._is_ascii)[1:-1]
        for character, escape in self._escapes.items():
            if character not in '"\\':
                written = written.replace(character, escape)
        return written


def raw_lines(raw: str) -> list[str]:
    """The lines of a string as JSON writes it (without its quotes), each with its line end."""
    lines = [""]
    for piece in _PIECE.findall(raw):
        lines[-1] += piece
        if piece in ("\\n", "\n", "\\u000a", "\\u000A"):
            lines.append("")
    return lines if lines[-1] else lines[:-1]


def raw_offset(raw: str, count: int) -> int:
    """How far into a string as JSON writes it so many of its characters reach."""
    return sum(len(piece) for piece, _ in zip(_PIECE.findall(raw), range(count), strict=False))
