"""Comments that tell the tool to leave a place or a file alone."""

from __future__ import annotations

import ast
import re

_SKIP_FILE = re.compile(r"^[ \t]*#[ \t]*torchfix:[ \t]*skip-file\b", re.MULTILINE)
_IGNORE = re.compile(r"#[^#]*?torchfix:[ \t]*ignore(?:\[([^\]]*)\])?", re.IGNORECASE)
_NOQA = re.compile(
    r"#[ \t]*noqa\b(?:[ \t]*:[ \t]*([A-Za-z0-9-]+(?:[ \t]*[, ][ \t]*[A-Z0-9-]+)*))?", re.IGNORECASE
)


def skips_file(text: str) -> bool:
    """Whether a line of the file is ``# torchfix: skip-file``."""
    return "torchfix" in text and _SKIP_FILE.search(text) is not None


class Suppressions:
    """The suppression comments of one text, by line.

    ``# torchfix: ignore``, ``# torchfix: ignore[TP301, size-average]``, ``# noqa`` and
    ``# noqa: TP301`` count on any line of a statement.
    """

    def __init__(self, lines: list[str]) -> None:
        self._by_line: dict[int, frozenset[str] | None] = {}
        for number, line in enumerate(lines, 1):
            if "#" not in line or ("torchfix" not in line and "noqa" not in line.lower()):
                continue
            match = _IGNORE.search(line) or _NOQA.search(line)
            if match is not None:
                listed = match.group(1)
                self._by_line[number] = (
                    None
                    if listed is None
                    else frozenset(part.lower() for part in re.split(r"[,\s]+", listed) if part)
                )

    def __bool__(self) -> bool:
        return bool(self._by_line)

    def hides(self, code: str, name: str, statement: ast.stmt, node: ast.AST) -> bool:
        """Whether a finding of a rule at ``node``, part of ``statement``, is suppressed."""
        first = statement.lineno
        last = statement.end_lineno or first
        body = getattr(statement, "body", None)
        if isinstance(body, list) and body:
            # The header of a compound statement; its body's comments are about the body.
            last = max(first, body[0].lineno - 1)
            first = min(first, getattr(node, "lineno", first))
            last = max(last, getattr(node, "lineno", last))
        for line in range(first, last + 1):
            if line in self._by_line:
                listed = self._by_line[line]
                if listed is None or code.lower() in listed or name.lower() in listed:
                    return True
        return False
