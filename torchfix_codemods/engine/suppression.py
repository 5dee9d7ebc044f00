"""Comments that tell the tool to leave a place or a file alone."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.text.comments import comments
from torchfix_codemods.text.source import with_line_ends

_SKIP_FILE = lazy_pattern(r"#[ \t]*torchfix:[ \t]*skip-file\b")
_SKIP_FILE_LINE = lazy_pattern(r"^[ \t]*#[ \t]*torchfix:[ \t]*skip-file\b", re.MULTILINE)
#: Rules stand in brackets. Codes without them are what was meant, too, rather than all rules.
_IGNORE = lazy_pattern(
    r"#[^#]*?torchfix:[ \t]*ignore"
    r"(?:[ \t]*\[([^\]]*)\]|[ \t]*[ \t:=(][ \t]*(TP[0-9]+\b(?:[ \t]*[, \t][ \t]*TP[0-9]+\b)*))?",
    re.IGNORECASE,
)
_NOQA = lazy_pattern(
    r"#[ \t]*noqa\b(?:[ \t]*:[ \t]*([A-Za-z0-9-]+(?:[ \t]*[, ][ \t]*[A-Z0-9-]+)*))?", re.IGNORECASE
)


_WORDS = lazy_pattern("torchfix|noqa", re.IGNORECASE)
_CODE = lazy_pattern(r"tp[0-9]*")


def skips_file(text: str) -> bool:
    """Whether a comment is ``# torchfix: skip-file``."""
    if "skip-file" not in text:
        return False
    text = with_line_ends(text, "\n")
    if _SKIP_FILE.search(text) is None:
        return False
    found = comments(text)
    if found is None:
        # Where nothing tells comments from strings, the file is rather left alone.
        return _SKIP_FILE_LINE.search(text) is not None
    return any(_SKIP_FILE.match(comment) for comment in found.values())


def _directives(text: str) -> list[re.Match[str]]:
    """What a comment says to this tool."""
    if "#" not in text or _WORDS.search(text) is None:
        return []
    return [*_IGNORE.finditer(text), *_NOQA.finditer(text)]


def with_ignored(line: str, code: str) -> str:
    """A line, without its end, whose comment asks to leave it alone for a rule, too."""
    known = next((match for match in _IGNORE.finditer(line) if _listed(match)), None)
    if known is None:
        return f"{line}  # torchfix: ignore[{code}]"
    end = known.end(known.lastindex or 0)
    return f"{line[:end].rstrip()}, {code}{line[end:]}"


def _listed(directive: re.Match[str]) -> str | None:
    """The rules that a directive names; None: it is about all."""
    return directive[directive.lastindex] if directive.lastindex else None


class Suppressions:
    """The suppression comments of one text, by line.

    ``# torchfix: ignore``, ``# torchfix: ignore[TP301, size-average]``, ``# noqa`` and
    ``# noqa: TP301`` count on any line of a statement.
    """

    def __init__(
        self, lines: list[str], heeded: Callable[[int, str | None], None] = lambda line, word: None
    ) -> None:
        self._lines = lines
        self._heeded = heeded
        """Called with the line of each comment that hides something, and the word for the rule."""

    def __bool__(self) -> bool:
        return bool(self._likely)

    @functools.cached_property
    def _likely(self) -> frozenset[int]:
        """The lines that hold something like a directive."""
        numbered = enumerate(self._lines, 1)
        return frozenset(n for n, line in numbered if "#" in line and _directives(line))

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
        lines = [line for line in range(first, last + 1) if line in self._likely]
        # All are asked: each of them is heeded.
        hidden = [self._is_hidden_by(line, code, name) for line in lines]
        return any(hidden)

    def _is_hidden_by(self, line: int, code: str, name: str) -> bool:
        """Whether the comment on a line is about a rule. Strings may look like comments."""
        found = comments("\n".join(self._lines))
        text = self._lines[line - 1] if found is None else found.get(line, "")
        is_hidden = False
        for match in _directives(text):
            for word in _meaning(_listed(match), code, name):
                is_hidden = True
                self._heeded(line, word)
        return is_hidden


def _meaning(listed: str | None, code: str, name: str) -> list[str | None]:
    """The words of a list of rules that mean one; None: the list is about all."""
    if listed is None:
        return [None]
    return [each for each in _split(listed) if names_rule(each, code, name)]


def _split(listed: str) -> list[str]:
    return [each for each in re.split(r"[,\s]+", listed) if each]


def names_rule(given: str, code: str, name: str) -> bool:
    """Whether a comment's word for a rule means one: its code, the beginning of it, its name."""
    given = given.lower()
    return given == name or (_CODE.match(given) is not None and code.lower().startswith(given))


def ignores(comment: str) -> Iterator[tuple[int, list[str] | None]]:
    """Where each ``torchfix: ignore`` of a comment begins, and what it names; None: no rule."""
    for match in _IGNORE.finditer(comment):
        listed = _listed(match)
        yield match.start(), None if listed is None else _split(listed)


def lists_of_rules(comment: str) -> Iterator[tuple[int, list[str]]]:
    """The rules that each ``torchfix: ignore[...]`` of a comment names, and where they begin."""
    for match in _IGNORE.finditer(comment):
        listed = _listed(match)
        if listed is not None:
            yield match.start(match.lastindex or 0), _split(listed)
