"""Code blocks of Markdown: what stands between fences that say Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from torchfix_codemods.documents.blocks import Block, is_python, migrate_blocks, split_lines
from torchfix_codemods.engine.migrate import Migration, Options
from torchfix_codemods.rule import Rule

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n]*)")
_WORDS = re.compile(r"[^\s{}.,=]+")

#: Directives of MyST whose argument is the language.
_DIRECTIVES = frozenset({"code", "code-block", "code-cell", "sourcecode"})
_OPTION = re.compile(r"[ \t]*:[\w-]+:")


def migrate_markdown(
    text: str, rules: Sequence[Rule], options: Options, python2: bool = False
) -> Migration:
    """Migrate the code blocks of a Markdown document as one program."""
    return migrate_blocks(text, markdown_blocks(text), rules, options, python2)


def markdown_blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of Python in a document."""
    lines = split_lines(text)
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        number += 1
        if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
            continue
        end = _closing(lines, number, opening["fence"])
        if end is None:
            return
        first = _after_options(lines, number) if "{" in opening["info"] else number
        if _language(opening["info"]) and first < end:
            yield Block(first + 1, tuple(lines[first:end]))
        number = end + 1


def _language(info: str) -> bool:
    words = _WORDS.findall(info)
    if words and info.startswith("{") and words[0] in _DIRECTIVES:
        words = words[1:]
    return bool(words) and is_python(words[0])


def _closing(lines: Sequence[str], start: int, fence: str) -> int | None:
    """The line that ends a block; None where none does."""
    closing = re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\r?\n?\Z")
    return next((n for n in range(start, len(lines)) if closing.match(lines[n])), None)


def _after_options(lines: Sequence[str], start: int) -> int:
    """The first line below the options of a directive."""
    while start < len(lines) and _OPTION.match(lines[start]):
        start += 1
    return start
