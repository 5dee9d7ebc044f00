"""How messages write the user's code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from torchfix_codemods.patterns import lazy_pattern

_LINE_BREAK = lazy_pattern(r"(?<=[(\[{])\s*\n\s*|,?\s*\n\s*(?=[)\]}])")

#: Code that is longer is no help in a message.
LONGEST = 40

#: More lines than these are counted.
_MOST_LINES = 10
_MOST_OTHERS = 6

#: What an operator can stand before and behind.
SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def worded(node: ast.AST, otherwise: str) -> str:
    """The code of an expression; what to say instead where it is too long."""
    text = ast.unparse(node)
    return text if len(text) <= LONGEST else otherwise


def worded_operand(node: ast.expr, short: str) -> str:
    """The code of an expression beside an operator; ``short`` where it is too long."""
    text = worded(node, short)
    is_simple = isinstance(node, (*SIMPLE, ast.Constant))
    return text if is_simple or text == short else f"({text})"


def worded_lines(lines: Sequence[int]) -> str:
    """Lines of a file, at least one: ``line 4``, ``lines 4, 5``, ``lines 4, … and 12 more``."""
    shown = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line{'s' if len(lines) > 1 else ''} {shown}{more}"


def other_lines(lines: Sequence[int]) -> str:
    """Where else the same is so, at least once: ``lines 4, 5 and 9``; six, and ``8 more``."""
    parts = _shown(lines, "{}")
    return f"line{'s' if len(lines) > 1 else ''} {listed(parts)}"


def other_lines_apart(lines: Sequence[int]) -> str:
    """The same with each of them called a line: ``line 4 and line 5``."""
    return " and ".join(_shown(lines, "line {}"))


def _shown(lines: Sequence[int], each: str) -> list[str]:
    shown = [each.format(line) for line in lines[:_MOST_OTHERS]]
    left = len(lines) - len(shown)
    return [*shown, f"{left} more"] if left else shown


def listed(parts: Iterable[object], word: str = "and") -> str:
    """``a, b and c``."""
    *first, last = map(str, parts)
    return f"{', '.join(first)} {word} {last}" if first else last


def is_given_anew(node: ast.AST) -> bool:
    """Whether a message may say to write ``x = x + …``: a part of ``x``, and ``x.data``, stay of
    the type of ``x``, and what is calculated has no name."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and node.attr != "data")


def in_one_line(message: str) -> str:
    """A message without the line breaks of the code that it quotes."""
    if "\n" not in message:
        return message
    return re.sub(r"\s*\n\s*", " ", _LINE_BREAK.sub("", message))
