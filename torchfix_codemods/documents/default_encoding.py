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
    """The text without the lines that :func:`without_default_encoding` marked."""
    return "\n".join(line for line in text.split("\n") if line.strip() != _GONE)


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
