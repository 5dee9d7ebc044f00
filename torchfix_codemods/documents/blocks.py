"""Code blocks in a document of text: where they stand, and their migration as one program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from torchfix_codemods.documents.pieces import Outcome, Piece, migrate_pieces
from torchfix_codemods.engine.dispatch import is_candidate
from torchfix_codemods.engine.migrate import Migration, Options
from torchfix_codemods.finding import FileError, Finding, Numerics
from torchfix_codemods.record import record
from torchfix_codemods.remarks import UNREADABLE_BLOCK
from torchfix_codemods.rule import Rule

CODE, NAME = UNREADABLE_BLOCK.code, UNREADABLE_BLOCK.name

_PYTHON = re.compile(r"(?:i?python[23]?|py[23]?)\Z", re.IGNORECASE)
_PROMPT = re.compile(r"\s*(?:>>>|In \[\d*\]:)")


@record
class Block:
    """The code of one block.

    Args:
        first: the number of its first line, from 1.
        lines: its lines as they stand in the document, with their ends.
    """

    first: int
    lines: tuple[str, ...]

    @property
    def indent(self) -> str:
        """What all lines of it begin with."""
        starts = [
            line[: len(line) - len(line.lstrip(" \t"))] for line in self.lines if line.strip()
        ]
        result = min(starts, key=len, default="")
        while not all(start.startswith(result) for start in starts):
            result = result[:-1]
        return result

    @property
    def text(self) -> str:
        """The code."""
        count = len(self.indent)
        return "".join(line[count:] if line.strip() else _end(line) for line in self.lines)

    @property
    def is_session(self) -> bool:
        """Whether it shows a session at the prompt rather than a program."""
        return any(_PROMPT.match(line) for line in self.lines)

    def written(self, text: str) -> str:
        """Other code as lines of the document; lines that stay keep the bytes they have."""
        old, new = _lines(self.text), _lines(text)
        result: list[str] = []
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
            if kind == "equal":
                result += self.lines[old_from:old_to]
            else:
                lines = new[new_from:new_to]
                result += [self.indent + line if line.strip() else _end(line) for line in lines]
        return "".join(result)


def is_python(language: str) -> bool:
    """Whether a block in a language of this name holds Python."""
    return _PYTHON.match(language) is not None


def split_lines(text: str) -> list[str]:
    """The lines of a document with their ends; only line feeds end one."""
    return _lines(text)


def migrate_blocks(
    text: str,
    blocks: Iterable[Block],
    rules: Sequence[Rule],
    options: Options,
    python2: bool = False,
) -> Migration:
    """Migrate the blocks of a document as one program.

    A block that is no Python is left as it is, and named where a rule might have had something
    to say about it: most such blocks show a part of a program.

    Args:
        text: the document.
        blocks: its blocks of Python, in their order.
        rules: the rules to apply.
        options: settings.
        python2: whether blocks of Python 2 are converted.
    """
    programs = [block for block in blocks if block.text.strip() and not block.is_session]
    pieces = [Piece("", block.text, above=block.first - 1) for block in programs]
    if not pieces:
        return Migration(text)
    outcome = migrate_pieces(pieces, rules, options, is_ipython=True, python2=python2)
    return _migration(text, programs, rules, outcome)


def _migration(
    text: str, blocks: Sequence[Block], rules: Sequence[Rule], outcome: Outcome
) -> Migration:
    lines = split_lines(text)
    for block, code in reversed(list(zip(blocks, outcome.texts, strict=True))):
        if code != block.text:
            last = block.first - 1 + len(block.lines)
            lines[block.first - 1 : last] = [block.written(code)]
    findings = [
        replace(
            finding,
            line=finding.line + blocks[index].first - 1,
            column=finding.column + len(blocks[index].indent),
        )
        for index, finding in outcome.findings
    ]
    errors: list[FileError] = []
    for index, error in outcome.errors:
        if index is None:
            errors.append(error)
            continue
        line = blocks[index].first - 1 + (error.line or 1)
        if error.kind not in ("syntax", "python2"):
            errors.append(replace(error, line=line))
        elif is_candidate(blocks[index].text, rules):
            findings.append(_unreadable(line, error))
    return Migration(
        "".join(lines),
        tuple(sorted(findings)),
        tuple(errors),
        outcome.era,
        outcome.skipped,
    )


def _unreadable(line: int, error: FileError) -> Finding:
    message = f"the block is left as it is: {error.message}"
    return Finding(line, 1, CODE, NAME, message, Numerics.ADVICE, False)


def _lines(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
