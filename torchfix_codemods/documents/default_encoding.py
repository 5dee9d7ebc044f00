"""``reload(sys)`` and ``sys.setdefaultencoding("utf-8")`` go: Python 3 decodes by UTF-8 anyway."""

from __future__ import annotations

import re
from collections.abc import Set

_SET = r"sys\.setdefaultencoding\(\s*(['\"])utf[-_]?8\1\s*\)"
_LINE = re.compile(
    rf"^([ \t]*)((?:import[ \t]+sys[ \t]*;[ \t]*)?)(?:reload\(sys\)|{_SET.replace('1', '3')})"
    rf"(?:[ \t]*;[ \t]*{_SET.replace('1', '4')})?[ \t]*;?[ \t]*(?:#[^\n]*)?$",
    re.IGNORECASE,
)
_ANY_SET = re.compile(r"\bsetdefaultencoding\b")
_CHOOSES = re.compile(r"version|PY[23]|six|hasattr")
_SYS = re.compile(r"\bsys\b")
#: ``import sys`` and ``import os, sys``, on a line of their own.
_IMPORT = re.compile(r"^import[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*$")
#: What stands above all code, and speaks of none of it.
_HEAD = re.compile(r"#!|#.*coding[:=]")
#: What stands in the place of a line that goes, so that lines keep their numbers until it does.
_GONE = "# gone with Python 2"


def without_default_encoding(text: str, strings: Set[int]) -> str:
    """The text with a mark in the place of the lines that set the encoding of Python 2.

    Another encoding than UTF-8 is one that Python 3 does not have: then nothing goes.

    Args:
        text: a module of Python 2.
        strings: the lines that begin inside of a string.
    """
    lines = text.split("\n")
    found = {
        number: match
        for number, line in enumerate(lines)
        if number + 1 not in strings and (match := _LINE.match(line)) is not None
    }
    if _ANY_SET.search(text) is None or _GONE in text:
        return text
    if any(_ANY_SET.search(line) and n not in found for n, line in enumerate(lines)):
        return text
    if any(_is_chosen(lines, number) for number in found):
        return text
    for number, match in found.items():
        kept = match[2].rstrip("; \t")
        lines[number] = f"{match[1]}{kept or _GONE}"
    for number in found:
        if lines[number].strip() == _GONE and _is_alone(lines, number):
            lines[number] = lines[number].replace(_GONE, "pass")
    return "\n".join(lines)


def without_marks(text: str) -> str:
    """The text without the lines that :func:`without_default_encoding` marked.

    Of the blank lines above and below them no more are left than there were on one side.
    """
    lines = text.split("\n")
    while (first := next((n for n, line in enumerate(lines) if _is_mark(line)), None)) is not None:
        end = first + 1
        while end < len(lines) and _is_mark(lines[end]):
            end += 1
        _take_out(lines, first, end)
    return "\n".join(lines)


def without_unread_sys(text: str, before: str) -> str:
    """The text without ``import sys``, where only the lines that set the encoding read that.

    It stays below a comment, which may speak of it.

    Args:
        text: a module of Python 3.
        before: the same as Python 2.
    """
    if _ANY_SET.search(before) is None or len(_SYS.findall(text)) != 1:
        return text
    lines = text.split("\n")
    number = next(n for n, line in enumerate(lines) if _SYS.search(line))
    match = _IMPORT.match(lines[number])
    above = lines[number - 1].lstrip() if number else ""
    if match is None or (above.startswith("#") and not _HEAD.match(above)):
        return text
    names = [name for name in re.split(r"[ \t]*,[ \t]*", match[1]) if name != "sys"]
    if names:
        lines[number] = f"import {', '.join(names)}"
    else:
        _take_out(lines, number, number + 1)
    return "\n".join(lines)


def _is_mark(line: str) -> bool:
    return line.strip() == _GONE


def _take_out(lines: list[str], first: int, end: int) -> None:
    """Take lines out, and as many blank ones below them as stand above, or all below none."""
    above = first
    while end < len(lines) and not lines[end].strip() and not (above and lines[above - 1].strip()):
        above, end = max(above - 1, 0), end + 1
    del lines[first:end]


def _is_chosen(lines: list[str], number: int) -> bool:
    """Whether a line stands below a test for the version of Python, which Python 3 passes by."""
    indent = _indent(lines[number])
    for line in reversed(lines[:number]):
        if line.strip() and _indent(line) < indent:
            if _CHOOSES.search(line) or line.lstrip().startswith(("try", "except")):
                return True
            indent = _indent(line)
    return False


def _is_alone(lines: list[str], number: int) -> bool:
    """Whether nothing is left of a block once the line is gone."""
    indent = _indent(lines[number])
    return indent > 0 and not any(
        _has_code_beside(side, indent) for side in (lines[number + 1 :], lines[:number][::-1])
    )


def _has_code_beside(side: list[str], indent: int) -> bool:
    for line in side:
        code = line.strip()
        if code and not code.startswith("#"):
            return _indent(line) >= indent
    return False


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
