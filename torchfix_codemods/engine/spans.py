"""Where the code of a region stands in the bytes of its file, and what goes with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from torchfix_codemods.edit.parentheses import leaves_bracket_open
from torchfix_codemods.edit.tidying.stale_comments import (
    is_about_flag_only,
    is_about_variables_only,
    is_about_wrapping_only,
    speaks_of_flag,
    without_flag,
)
from torchfix_codemods.engine.edits import Edit, line_starts
from torchfix_codemods.engine.fstrings import true_span
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found

#: What code of inference is put under, which is no reason to keep what was said of Variables.
_OPENS_NO_GRAD = re.compile(rb"[ \t]*with (?:torch\.)?no_grad\(\):[ \t]*\r?$")

_BLANK_LINE = re.compile(rb"\n[ \t]*\r?\n")

#: Lines that say nothing once Variables are gone: ``mean = mean``.
_ASSIGNED_TO_THEMSELVES = re.compile(rb"^[ \t]*(\w[\w, ]*) = \1[ \t]*\r?$", re.MULTILINE)
_SETS_FLAG = re.compile(rb"[ \t]*[\w.\[\]]+\.volatile[ \t]*=[ \t]*(?:True|False)[ \t]*\r?(?:\n|$)")
#: Where a choice or a loop follows, a comment on what was wrapped is not about that, unless it
#: makes something of what it had: ``x = [x]``.
_OPENS_BLOCK = re.compile(rb"[ \t]*(?:if|for|while|with|try)\b")
_MADE_OF_ITSELF = re.compile(rb"(?m)^[ \t]*(\w+)\b[^=\n]*=.*\b\1\b|(?i:wrap)")


class Spans:
    """The bytes of a module, and where its code stands in them.

    Args:
        facts: the facts of the module, for parents of nodes.
        data: its text as UTF-8.
    """

    def __init__(self, facts: Facts, data: bytes) -> None:
        self._facts = facts
        self._data = data
        self.starts = line_starts(data)

    def span(self, found: Found) -> tuple[int, int] | None:
        region = found.region
        if isinstance(region, ast.expr):
            return true_span(region, self._facts, self._data, self.offset)
        assert region is not None
        statements = [region] if isinstance(region, ast.stmt) else list(region)
        first, last = statements[0], statements[-1]
        decorators = getattr(first, "decorator_list", [])
        first_line = min([first.lineno, *(d.lineno for d in decorators)])
        last_line = last.end_lineno or last.lineno
        start = self.starts[first_line - 1]
        end = self._start_of_next(last_line - 1)
        above = self.starts[first_line - 1 - found.data.get("own_comments", 0)]
        head = self._data[start : self.offset(first_line, first.col_offset)]
        tail = self._data[self.offset(last_line, last.end_col_offset or 0) : end].strip()
        if head.strip(b" \t\x0c") or (tail and not tail.startswith(b"#")):
            return None
        if self._data[self.offset(first_line, first.col_offset) :].startswith(b"elif"):
            return None
        return above, self._after_comments(last_line, head) if hasattr(last, "body") else end

    def _after_comments(self, line: int, indent: bytes) -> int:
        """The end of a block that ends with ``line``, with the comments below that belong to it."""
        end = line
        while line < len(self.starts):
            text = self._data[self.starts[line] : self._start_of_next(line)]
            comment, inside = text.strip(), text.removeprefix(indent)
            is_part = text.startswith(indent) and inside[:1] in (b" ", b"\t")
            line += 1
            if comment and not (comment.startswith(b"#") and is_part):
                break
            end = line if comment else end
        return self._start_of_next(end - 1)

    def _start_of_next(self, line: int) -> int:
        """Where the line behind one begins, counted from 0; the end of the file behind its last."""
        return self.starts[line + 1] if line + 1 < len(self.starts) else len(self._data)

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def statement_lines(self, edit: Edit) -> tuple[int, int]:
        """The bytes of the lines of the statement around an expression, or of its header.

        (-1, -1) for edits of whole lines and for statements on one line.
        """
        if edit.whole_lines or not edit.founds or b"\r" in self._data:
            return -1, -1
        region = edit.founds[0].region
        assert isinstance(region, ast.expr)
        statement = self._facts.statement(region)
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        body = getattr(statement, "body", None)
        if isinstance(body, list) and body:
            last = max(first, body[0].lineno - 1)
        if first == last or not (first <= region.lineno <= last):
            return -1, -1
        end = self.starts[last] if last < len(self.starts) else len(self._data)
        return self.starts[first - 1], end

    def with_comment_above(self, start: int, edits: Sequence[Edit]) -> tuple[int, str]:
        """The start of a region to remove, with the comment above that speaks of nothing else.

        The comment may stand above the ``with`` that the region begins, which is then to be kept.
        """
        above = self.start_of_line(start - 1)
        opening = self._data[above:start]
        is_first = _OPENS_NO_GRAD.match(opening) is not None
        below = above if is_first else start
        comment = self.start_of_line(below - 1)
        line = self._data[comment:below].decode("utf-8", "replace")
        is_free = not edits or edits[-1].end <= comment
        is_beside = _indent_of(self._data[comment:]) == _indent_of(self._data[below:])
        paragraph = _BLANK_LINE.split(self._data[start:], maxsplit=1)[0]
        assigned = _ASSIGNED_TO_THEMSELVES.findall(paragraph)
        names = b" ".join(assigned).decode().replace(",", " ").split()
        rest = _ASSIGNED_TO_THEMSELVES.sub(b"", paragraph).strip(b"\r\n")
        is_next = _OPENS_BLOCK.match(rest) is not None and paragraph.rstrip().endswith(rest)
        is_emptied = not rest or (is_next and _MADE_OF_ITSELF.search(rest) is None)
        is_about = is_about_variables_only(line, names)
        is_about = is_about or (is_emptied and is_about_wrapping_only(line, names))
        is_about = is_about and not (b"volatile" in paragraph and speaks_of_flag(line))
        opened = self._data[below:start].decode("utf-8")
        if is_free and is_beside and is_about:
            return comment, opened
        if is_free and _SETS_FLAG.match(paragraph) and paragraph.count(b"volatile") == 1:
            first = self._with_comment_on_flag(start)
            return (start if edits and edits[-1].end > first else first), ""
        text = line.rstrip("\r\n")
        kept = text if b"volatile" in paragraph else without_flag(text)
        if is_free and is_beside and kept != text:
            return comment, f"{kept}{line[len(text) :]}{opened}"
        return start, ""

    def _with_comment_on_flag(self, start: int) -> int:
        """Where the comment begins that is right above ``x.volatile = False``, and of that only."""
        first, lines, indent = start, list[str](), _indent_of(self._data[start:])
        while first:
            above = self.start_of_line(first - 1)
            line = self._data[above:first]
            if not line.lstrip().startswith(b"#") or _indent_of(line) != indent:
                break
            first = above
            lines.insert(0, line.decode("utf-8", "replace"))
        return first if is_about_flag_only(lines) else start

    def start_of_line(self, offset: int) -> int:
        return self._data.rfind(b"\n", 0, max(offset, 0)) + 1

    def after_blank_line(self, start: int, end: int, edits: Sequence[Edit]) -> int:
        """The end of a region to remove, with the blank line that would be one too many."""
        kept = b""
        for edit in reversed(edits):
            if edit.end == start and not kept:
                start, kept = edit.start, edit.text
        above = (self._data[:start] + kept).rstrip(b" \t").splitlines()
        code = above[-1].partition(b"#")[0].rstrip() if above else b""
        follows_gap = not above or not above[-1].strip() or code.endswith(b":")
        newline = self._data.find(b"\n", end)
        is_blank = newline >= 0 and not self._data[end:newline].strip()
        return newline + 1 if follows_gap and is_blank else end

    def stands_in_parentheses(self, region: ast.expr) -> bool:
        """Whether parentheses of its own stand around an operand: ``2 * (~x)``, ``(~x).sum()``."""
        parent = self._facts.parent(region)
        is_head = isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is region
        if not is_head and not isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return False
        start = self.offset(region.lineno, region.col_offset)
        end = self.offset(region.end_lineno or region.lineno, region.end_col_offset or 0)
        opening, closing = self._data[:start].rstrip(b" \t"), self._data[end:].lstrip(b" \t")
        return opening.endswith(b"(") and closing.startswith(b")")

    def with_parentheses(self, found: Found, start: int, end: int) -> tuple[int, int]:
        """A region that becomes a name or call, with the parentheses of ``(x.data).cpu()``."""
        parent = self._facts.parent(found.region) if isinstance(found.region, ast.expr) else None
        around = self._data[start - 1 : start], self._data[end : end + 1]
        if not isinstance(parent, (ast.Attribute, ast.BinOp)) or around != (b"(", b")"):
            return start, end
        follows_word = self._data[: start - 1][-1:].isalnum()
        return (start, end) if follows_word else (start - 1, end + 1)

    def is_bracketed(self, node: ast.expr) -> bool:
        """Whether lines may end in an expression, as it stands in brackets."""
        statement = self._facts.statement(node)
        start = min(
            self.offset(part.lineno, part.col_offset)
            for part in (statement, *getattr(statement, "decorator_list", ()))
        )
        above = self._data[start : self.offset(node.lineno, node.col_offset)]
        return leaves_bracket_open(above.decode("utf-8", "replace"))


def _indent_of(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
