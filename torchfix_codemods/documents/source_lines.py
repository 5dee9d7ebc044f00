"""The code of a notebook's cell as JSON holds it: a string, or a list of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from torchfix_codemods.documents.json_spans import Spelling, Value, raw_lines, raw_offset
from torchfix_codemods.record import record


@record
class Source:
    """The value of a cell's ``source``.

    Args:
        value: a string, or a list of strings.
        document: the text of the notebook.
    """

    value: Value
    document: str

    @property
    def text(self) -> str:
        """The code."""
        return "".join(string.content for string in self._strings())

    def position(self, line: int, column: int) -> int:
        """Where a place in the code (counted from 1) stands in the document."""
        number = 1
        for string in self._strings():
            start = string.start + 1
            for raw in raw_lines(self.document[start : string.end - 1]):
                if number == line:
                    return start + raw_offset(raw, column - 1)
                number += raw.endswith(("\\n", "\n"))
                start += len(raw)
        return self.value.start

    def written(self, text: str, spelling: Spelling) -> str:
        """The value for other code: lines that stay keep the bytes they have."""
        lines = self._written_lines(text, spelling)
        if isinstance(self.value.content, str):
            return f'"{"".join(lines)}"'
        return self._as_list(lines)

    def _strings(self) -> list[Value]:
        content = self.value.content
        return content if isinstance(content, list) else [self.value]

    def _written_lines(self, text: str, spelling: Spelling) -> list[str]:
        old_raw = raw_lines(
            "".join(self.document[s.start + 1 : s.end - 1] for s in self._strings())
        )
        return merged(lines_of(self.text), lines_of(text), old_raw, spelling.write)

    def _as_list(self, lines: list[str]) -> str:
        items = self.value.content
        if not lines:
            return "[]"
        if not items:
            return "[" + ", ".join(f'"{line}"' for line in lines) + "]"
        opening = self.document[self.value.start : items[0].start]
        closing = self.document[items[-1].end : self.value.end]
        if len(items) > 1:
            between = self.document[items[0].end : items[1].start]
        else:
            between = "," + (opening[1:] or " ")
        return opening + between.join(f'"{line}"' for line in lines) + closing


def merged(
    old: Sequence[str], new: Sequence[str], kept: Sequence[str], write: Callable[[str], str]
) -> list[str]:
    """New code, where lines that were there before stay as they were written.

    Args:
        old: the lines of the code before.
        new: the lines of the new code.
        kept: what is written for each of the old lines.
        write: how a new one is written.
    """
    result: list[str] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            result += kept[old_from:old_to]
        else:
            result += map(write, new[new_from:new_to])
    return result


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only line feeds end a line, as in the lists of a notebook."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
