"""Code blocks of reStructuredText: what stands below a directive that says Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from torchfix_codemods.documents.blocks import Block, is_python, migrate_blocks, split_lines
from torchfix_codemods.engine.migrate import Migration, Options
from torchfix_codemods.rule import Rule

_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\.[ \t]+(?:code-block|code|sourcecode)::[ \t]*"
    r"(?P<language>[^\s]+)[ \t]*\r?\n"
)
_OPTION = re.compile(r"[ \t]+:[\w-]+:")


def migrate_restructuredtext(
    text: str, rules: Sequence[Rule], options: Options, python2: bool = False
) -> Migration:
    """Migrate the code blocks of a reStructuredText document as one program."""
    return migrate_blocks(text, restructuredtext_blocks(text), rules, options, python2)


def restructuredtext_blocks(text: str) -> Iterator[Block]:
    """The blocks of Python in a document."""
    lines = split_lines(text)
    number = 0
    while number < len(lines):
        directive = _DIRECTIVE.match(lines[number])
        number += 1
        if directive is None or not is_python(directive["language"]):
            continue
        while number < len(lines) and _OPTION.match(lines[number]):
            number += 1
        while number < len(lines) and not lines[number].strip():
            number += 1
        end = _end(lines, number, len(directive["indent"].expandtabs()))
        if end > number:
            yield Block(number + 1, tuple(lines[number:end]))
        number = max(number, end)


def _end(lines: Sequence[str], start: int, width: int) -> int:
    """The first line behind a block: one that is not indented more than its directive."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number].expandtabs()
        if not line.strip():
            continue
        if len(line) - len(line.lstrip(" ")) <= width:
            break
        end = number + 1
    return end
