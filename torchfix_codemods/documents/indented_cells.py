"""Cells of a notebook that are indented as a whole: IPython takes that away before it runs them."""

from __future__ import annotations

import re

from torchfix_codemods.documents.source_lines import lines_of, merged

_FIRST_LINE = re.compile(r"(?:[ \t]*\r?\n)*([ \t]+)")
_FIRST_CODE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]*)[^\s#]")


def indentation(text: str) -> str:
    """What stands before the first line of a cell, where its code cannot be read with it.

    A comment may be indented by itself; then nothing is taken away.
    """
    first, code = _FIRST_LINE.match(text), _FIRST_CODE.match(text)
    return first[1] if first is not None and code is not None and code[1] else ""


def unindented(text: str, indent: str) -> str:
    """A cell as IPython runs it: lines that begin with ``indent`` lose that."""
    return "".join(line.removeprefix(indent) for line in lines_of(text))


def indented_again(text: str, before: str, indent: str) -> str:
    """Code that was written for a cell without its indentation, with it.

    Args:
        text: the new code.
        before: the cell as the notebook holds it; lines that stay keep their bytes.
        indent: what its lines begin with.
    """
    lines = lines_of(before)
    old = [line.removeprefix(indent) for line in lines]
    new = lines_of(text)
    return "".join(merged(old, new, lines, lambda line: indent + line if line.strip() else line))
