"""From findings to text: each found region is parsed by libcst, rewritten, and spliced back.

Every byte outside the regions stays what it was.
"""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.insertions import Insertion, insertions_for
from torchfix_codemods.edit.tidying.alignment import realigned
from torchfix_codemods.edit.tidying.joined_lines import joined_again
from torchfix_codemods.edit.tidying.long_lines import broken_again
from torchfix_codemods.edit.tidying.stale_comments import (
    closes_block,
    is_about_variables_only,
    names_variable_as_type,
    points_to_autograd,
    takes_out_static,
)
from torchfix_codemods.engine.comment_columns import with_comments_in_column
from torchfix_codemods.engine.edits import Edit, splice
from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.engine.rewriting import RefusedError, Rewriter
from torchfix_codemods.engine.spans import Spans
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found
from torchfix_codemods.text.source import with_line_ends
from torchfix_codemods.text.stack import is_deep

#: Why something is left that has a comment in it.
LOSES_COMMENT = "a comment inside would be lost"

#: Why a rewrite is refused that needs a definition which no line above it can hold.
TOO_EARLY = "it may run before what it needs can be defined"


class RewriteError(Exception):
    """A rule's rewriting method raised."""

    def __init__(self, found: Found, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.found = found


@record
class Applied:
    """The outcome of one round of rewriting."""

    text: str
    founds: tuple[Found, ...]
    """What was rewritten, in no particular order."""
    refused: tuple[tuple[Found, str], ...]
    """What cannot be rewritten, and why."""
    edits: tuple[Edit, ...]
    """The edits, in order, not overlapping."""


class Regions:
    """The regions of one text.

    Args:
        facts: the facts of the module, for parents of nodes.
        text: the module's text.
        lines: where its lines come from; None where it is as it was read.
    """

    def __init__(self, facts: Facts, text: str, lines: LineMap | None = None) -> None:
        self._facts = facts
        self._lines = lines
        self._data = text.encode("utf-8")
        self._spans = Spans(facts, self._data)
        self._rewriter = Rewriter(facts, text, self._spans)
        self._is_uniform = with_line_ends(text, self._rewriter.newline) == text

    def apply(self, founds: Sequence[Found]) -> Applied:
        """Rewrite all that can be rewritten together, innermost first.

        What overlaps something else is left for the next round, with all of its group.
        """
        applied = self._apply_whole_groups(founds)
        if applied.founds:
            return applied
        # Where parts of each group overlap another one, none would ever be rewritten.
        for group in dict.fromkeys(f.group for f in founds if f.group is not None):
            alone = self._apply_whole_groups([f for f in founds if f.group == group])
            if alone.founds:
                return alone
        return applied

    def _apply_whole_groups(self, founds: Sequence[Found]) -> Applied:
        refused: list[tuple[Found, str]] = []
        while True:
            applied = self._apply(founds)
            refused += applied.refused
            done = set(map(id, applied.founds))
            torn = {f.group for f in founds if f.group is not None and id(f) not in done}
            if not torn:
                return replace(applied, refused=tuple(refused))
            founds = [f for f in founds if f.group not in torn]

    def _apply(self, founds: Sequence[Found]) -> Applied:
        self._rewriter.begin()
        insertions, blocked = insertions_for(
            founds, self._facts, self._spans.starts, len(self._data)
        )
        fixed_points = {insertion.offset for insertion in insertions}
        spans = []
        refused = [(found, TOO_EARLY) for found in blocked]
        for order, found in enumerate(founds):
            if found in blocked:
                continue
            span = self._spans.span(found)
            if span is None:
                refused.append((found, "shares its line with other code"))
            elif not any(span[0] < point < span[1] for point in fixed_points):
                spans.append((span[1], -span[0], order, found))
        edits: list[Edit] = []
        for end, negative_start, _, found in sorted(spans, key=lambda span: span[:3]):
            self._apply_one(found, -negative_start, end, edits, refused)
        as_read = None if self._lines is None else self._lines.as_read
        edits = with_comments_in_column(self._data, self._realigned(edits), as_read)
        done = tuple(found for edit in edits for found in edit.founds)
        edits += self._insertion_edits(insertions, set(map(id, done)))
        edits.sort(key=lambda edit: (edit.start, edit.end))
        return Applied(
            splice(self._data, 0, len(self._data), edits).decode("utf-8"),
            done,
            tuple(refused),
            tuple(edits),
        )

    def _apply_one(
        self,
        found: Found,
        start: int,
        end: int,
        edits: list[Edit],
        refused: list[tuple[Found, str]],
    ) -> None:
        first_inner = len(edits)
        while first_inner and edits[first_inner - 1].start >= start:
            first_inner -= 1
        inner = edits[first_inner:]
        is_expression = isinstance(found.region, ast.expr)
        if first_inner and edits[first_inner - 1].end > start:
            return
        if any((e.start, e.end) == (start, end) for e in inner):
            return
        if not is_expression and any(e.whole_lines for e in inner):
            return
        kept = found.data.get("comment_above")
        if kept is not None:
            above = start
            for _ in range(found.data["comment_lines"]):
                above = self._spans.start_of_line(above - 1)
            is_free = not first_inner or edits[first_inner - 1].end <= above
            # A group may rewrite the statement below as well.
            if is_free and (not inner or found.group is not None):
                ended = self._data[above:start].decode("utf-8")
                end_of_line = ended[len(ended.rstrip("\r\n")) :] if kept else ""
                written = with_line_ends(kept, self._rewriter.newline)
                edit = Edit(above, start, (written + end_of_line).encode(), (found,), True)
                edits.insert(first_inner, edit)
            return
        before = splice(self._data, start, end, inner).decode("utf-8")
        try:
            after = self._rewriter.rewrite(found, before)
        except cst.ParserSyntaxError:
            refused.append((found, "libcst cannot parse it"))
            return
        except RefusedError as error:
            refused.append((found, str(error)))
            return
        except Exception as error:
            if isinstance(error, RecursionError) and not is_deep():
                raise
            raise RewriteError(found, error) from error
        if after is None or after == before:
            return
        if self._is_uniform:
            # libcst ends some of the lines that it prints as it likes.
            after = with_line_ends(after, self._rewriter.newline)
        if not after:
            first, after = self._spans.with_comment_above(start, edits[:first_inner])
            end = self._spans.after_blank_line(start if after else first, end, edits)
            start = first
        if is_expression and (after.isidentifier() or _became_call(found.region, after)):
            start, end = self._spans.with_parentheses(found, start, end)
        said_once = bool(found.data.get("is_said_twice"))
        if not found.data.get("lets_comment_go") and loses_comment(before, after, said_once):
            refused.append((found, LOSES_COMMENT))
            return
        merged = (found, *(f for edit in inner for f in edit.founds))
        edits[first_inner:] = [Edit(start, end, after.encode("utf-8"), merged, not is_expression)]

    def _realigned(self, edits: list[Edit]) -> list[Edit]:
        """Merge the edits inside a statement of several lines, and move lines with brackets."""
        groups: dict[tuple[int, int], list[Edit]] = {}
        for edit in edits:
            groups.setdefault(self._spans.statement_lines(edit), []).append(edit)
        result = []
        for (start, end), group in groups.items():
            if start < 0:
                result += [self._realigned_lines(edit) for edit in group]
                continue
            before = self._data[start:end].decode("utf-8")
            after = splice(self._data, start, end, group).decode("utf-8")
            moved = broken_again(before, realigned(before, after))
            moved = joined_again(self._as_read(before, start), moved)
            # Behind a ; another statement may begin in these lines, with edits of its own.
            inside = (edit for edit in edits if start < edit.end and edit.start < end)
            if moved == after or any(edit not in group for edit in inside):
                result += group
            else:
                founds = tuple(found for edit in group for found in edit.founds)
                result.append(Edit(start, end, moved.encode("utf-8"), founds, False))
        return sorted(result, key=lambda edit: (edit.start, edit.end))

    def _realigned_lines(self, edit: Edit) -> Edit:
        """An edit of whole lines with continuation lines moved with their brackets."""
        if not edit.whole_lines or b"\r" in self._data:
            return edit
        before = self._data[edit.start : edit.end].decode("utf-8")
        moved = realigned(before, edit.text.decode("utf-8"))
        moved = joined_again(self._as_read(before, edit.start), moved)
        return replace(edit, text=moved.encode("utf-8"))

    def _as_read(self, statement: str, start: int) -> str:
        """A statement as it was before the first rewrite."""
        if self._lines is None or "\n" not in statement.rstrip():
            return statement
        return self._lines.statement_as_read(bisect_right(self._spans.starts, start))

    def _insertion_edits(self, insertions: Sequence[Insertion], done: set[int]) -> list[Edit]:
        edits = []
        for insertion in insertions:
            wanted = tuple(f for f in insertion.founds if id(f) in done)
            if wanted:
                text = with_line_ends(insertion.text, self._rewriter.newline).replace(
                    '"', self._rewriter.quote
                )
                if insertion.offset == len(self._data) and not self._data.endswith((b"\n", b"\r")):
                    text = self._rewriter.newline + text
                edits.append(Edit(insertion.offset, insertion.end, text.encode("utf-8"), (), True))
        return edits


def _became_call(region: object, after: str) -> bool:
    """Whether an operation is a call on one line now, which needs no parentheses of its own."""
    if not isinstance(region, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)):
        return False
    if "\n" in after or not after.endswith(")"):
        return False
    return isinstance(ast.parse(f"({after}\n)", mode="eval").body, ast.Call)


def loses_comment(before: str, after: str, said_once: bool = False) -> bool:
    """Whether a comment of ``before`` is missing in ``after``, and was not about what is gone.

    Args:
        before: the code as it was.
        after: the code as it is to be.
        said_once: whether one that stood there more often may stand there once.
    """
    if "#" not in before:
        return False
    left = _comments(after)
    lost = [c for c in _comments(before) - left if not (closes_block(c) or takes_out_static(c))]
    lost = [c for c in lost if not (said_once and c in left)]
    if not after or "# type:" in after:
        lost = [c for c in lost if not names_variable_as_type(c)]
    if not after:
        lost = [c for c in lost if not (is_about_variables_only(c) or points_to_autograd(c))]
    return bool(lost)


def _comments(code: str) -> Counter[str]:
    comments: Counter[str] = Counter()
    code = with_line_ends(code, "\n")
    wrapped = code if code[:1] in " \t" or "\n" in code else f"({code}\n)"
    try:
        for token in tokenize.generate_tokens(io.StringIO(wrapped).readline):
            if token.type == tokenize.COMMENT:
                comments[token.string.strip()] += 1
    except (tokenize.TokenError, SyntaxError, IndentationError):
        comments.update(part.strip() for part in code.split("#")[1:])
    return comments
