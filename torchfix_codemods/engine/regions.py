"""From findings to text: each found region is parsed by libcst, rewritten, and spliced back.

Every byte outside the regions stays what it was.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.insertions import Insertion, insertions_for
from torchfix_codemods.edit.parentheses import (
    demanded,
    leaves_bracket_open,
    parenthesized,
    spans_bare_lines,
    strength,
)
from torchfix_codemods.edit.tidying.alignment import realigned
from torchfix_codemods.edit.tidying.joined_lines import joined_again
from torchfix_codemods.edit.tidying.long_lines import broken_again
from torchfix_codemods.edit.tidying.quotes import free_quote, preferred_quote, restyle
from torchfix_codemods.edit.tidying.stale_comments import (
    closes_block,
    is_about_variables_only,
    is_about_wrapping_only,
    is_for_tools,
)
from torchfix_codemods.engine.comment_columns import with_comments_in_column
from torchfix_codemods.engine.edits import Edit, line_starts, splice
from torchfix_codemods.engine.fstrings import enclosing_quotes, true_span
from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.facts.language.nodes import children
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found
from torchfix_codemods.text.source import dominant_newline, with_line_ends
from torchfix_codemods.text.stack import is_deep

#: What code of inference is put under, which is no reason to keep what was said of Variables.
_OPENS_NO_GRAD = re.compile(rb"[ \t]*with (?:torch\.)?no_grad\(\):[ \t]*\r?$")

_BLANK_LINE = re.compile(rb"\n[ \t]*\r?\n")

#: Lines that say nothing once Variables are gone: ``mean = mean``.
_ASSIGNED_TO_THEMSELVES = re.compile(rb"^[ \t]*(\w[\w, ]*) = \1[ \t]*\r?$", re.MULTILINE)

#: So many blocks tell how a file indents.
_BLOCKS_ASKED = 25

#: Why something is left that has a comment in it.
LOSES_COMMENT = "a comment inside would be lost"

#: Why a rewrite is refused that needs a definition which no line above it can hold.
TOO_EARLY = "it may run before what it needs can be defined"


class RewriteError(Exception):
    """A rule's rewriting method raised."""

    def __init__(self, found: Found, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.found = found


class _Refused(Exception):
    """A rewrite that cannot be written where it belongs; the message says why."""


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
        self._starts = line_starts(self._data)
        self._newline = dominant_newline(text)
        self._is_uniform = with_line_ends(text, self._newline) == text
        self._indent = indent_unit(facts.tree, facts.text)
        self._quote = preferred_quote(text)
        self._removed: set[ast.stmt] = set()

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
        self._removed = set()
        insertions, blocked = insertions_for(founds, self._facts, self._starts, len(self._data))
        fixed_points = {insertion.offset for insertion in insertions}
        spans = []
        refused = [(found, TOO_EARLY) for found in blocked]
        for order, found in enumerate(founds):
            if found in blocked:
                continue
            span = self._span(found)
            if span is None:
                refused.append((found, "shares its line with other code"))
            elif not any(span[0] < point < span[1] for point in fixed_points):
                spans.append((span[1], -span[0], order, found))
        edits: list[Edit] = []
        for end, negative_start, _, found in sorted(spans, key=lambda span: span[:3]):
            self._apply_one(found, -negative_start, end, edits, refused)
        edits = with_comments_in_column(self._data, self._realigned(edits))
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
            if not inner:
                above = self._start_of_line(start - 1)
                ended = self._data[above:start].decode("utf-8")
                end_of_line = ended[len(ended.rstrip("\r\n")) :] if kept else ""
                edits.append(Edit(above, start, (kept + end_of_line).encode(), (found,), True))
            return
        before = splice(self._data, start, end, inner).decode("utf-8")
        rewrite = self._rewrite_expression if is_expression else self._rewrite_statements
        try:
            after = rewrite(found, before)
        except cst.ParserSyntaxError:
            refused.append((found, "libcst cannot parse it"))
            return
        except _Refused as error:
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
            after = with_line_ends(after, self._newline)
        if not after:
            first, after = self._with_comment_above(start, edits[:first_inner])
            end = self._after_blank_line(start if after else first, end, edits)
            start = first
        if is_expression and (after.isidentifier() or _became_call(found.region, after)):
            start, end = self._with_parentheses(found, start, end)
        if loses_comment(before, after):
            refused.append((found, LOSES_COMMENT))
            return
        merged = (found, *(f for edit in inner for f in edit.founds))
        edits[first_inner:] = [Edit(start, end, after.encode("utf-8"), merged, not is_expression)]

    def _realigned(self, edits: list[Edit]) -> list[Edit]:
        """Merge the edits inside a statement of several lines, and move lines with brackets."""
        groups: dict[tuple[int, int], list[Edit]] = {}
        for edit in edits:
            groups.setdefault(self._statement_lines(edit), []).append(edit)
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
        return self._lines.statement_as_read(bisect_right(self._starts, start))

    def _statement_lines(self, edit: Edit) -> tuple[int, int]:
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
        end = self._starts[last] if last < len(self._starts) else len(self._data)
        return self._starts[first - 1], end

    # Spans

    def _span(self, found: Found) -> tuple[int, int] | None:
        region = found.region
        if isinstance(region, ast.expr):
            return true_span(region, self._facts, self._data, self._offset)
        assert region is not None
        statements = [region] if isinstance(region, ast.stmt) else list(region)
        first, last = statements[0], statements[-1]
        decorators = getattr(first, "decorator_list", [])
        first_line = min([first.lineno, *(d.lineno for d in decorators)])
        last_line = last.end_lineno or last.lineno
        start = self._starts[first_line - 1]
        end = self._start_of_next(last_line - 1)
        head = self._data[start : self._offset(first_line, first.col_offset)]
        tail = self._data[self._offset(last_line, last.end_col_offset or 0) : end].strip()
        if head.strip(b" \t\x0c") or (tail and not tail.startswith(b"#")):
            return None
        if self._data[self._offset(first_line, first.col_offset) :].startswith(b"elif"):
            return None
        return start, self._after_comments(last_line, head) if hasattr(last, "body") else end

    def _after_comments(self, line: int, indent: bytes) -> int:
        """The end of a block that ends with ``line``, with the comments below that belong to it."""
        end = line
        while line < len(self._starts):
            text = self._data[self._starts[line] : self._start_of_next(line)]
            comment, inside = text.strip(), text.removeprefix(indent)
            is_part = text.startswith(indent) and inside[:1] in (b" ", b"\t")
            line += 1
            if comment and not (comment.startswith(b"#") and is_part):
                break
            end = line if comment else end
        return self._start_of_next(end - 1)

    def _start_of_next(self, line: int) -> int:
        """Where the line behind one begins, counted from 0; the end of the file behind its last."""
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self._data)

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def _with_comment_above(self, start: int, edits: Sequence[Edit]) -> tuple[int, str]:
        """The start of a region to remove, with the comment above that speaks of nothing else.

        The comment may stand above the ``with`` that the region begins, which is then to be kept.
        """
        above = self._start_of_line(start - 1)
        opening = self._data[above:start]
        is_first = _OPENS_NO_GRAD.match(opening) is not None
        below = above if is_first else start
        comment = self._start_of_line(below - 1)
        line = self._data[comment:below].decode("utf-8", "replace")
        is_free = not edits or edits[-1].end <= comment
        is_beside = _indent_of(self._data[comment:]) == _indent_of(self._data[below:])
        paragraph = _BLANK_LINE.split(self._data[start:], maxsplit=1)[0]
        assigned = _ASSIGNED_TO_THEMSELVES.findall(paragraph)
        names = b" ".join(assigned).decode().replace(",", " ").split()
        is_emptied = len(assigned) == len(paragraph.splitlines())
        is_about = is_about_variables_only(line, names)
        is_about = is_about or (is_emptied and is_about_wrapping_only(line, names))
        if is_free and is_beside and is_about:
            return comment, self._data[below:start].decode("utf-8")
        return start, ""

    def _start_of_line(self, offset: int) -> int:
        return self._data.rfind(b"\n", 0, max(offset, 0)) + 1

    def _after_blank_line(self, start: int, end: int, edits: Sequence[Edit]) -> int:
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

    def _stands_in_parentheses(self, region: ast.expr) -> bool:
        """Whether parentheses of its own stand around an operand: ``2 * (~x)``."""
        if not isinstance(self._facts.parent(region), (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return False
        start = self._offset(region.lineno, region.col_offset)
        end = self._offset(region.end_lineno or region.lineno, region.end_col_offset or 0)
        opening, closing = self._data[:start].rstrip(b" \t"), self._data[end:].lstrip(b" \t")
        return opening.endswith(b"(") and closing.startswith(b")")

    def _with_parentheses(self, found: Found, start: int, end: int) -> tuple[int, int]:
        """A region that becomes a name or call, with the parentheses of ``(x.data).cpu()``."""
        parent = self._facts.parent(found.region) if isinstance(found.region, ast.expr) else None
        around = self._data[start - 1 : start], self._data[end : end + 1]
        if not isinstance(parent, (ast.Attribute, ast.BinOp)) or around != (b"(", b")"):
            return start, end
        follows_word = self._data[: start - 1][-1:].isalnum()
        return (start, end) if follows_word else (start - 1, end + 1)

    # Rewriting

    def _rewrite_expression(self, found: Found, text: str) -> str | None:
        module = self._parse(f"f({text})")
        statement = module.body[0]
        assert isinstance(statement, cst.SimpleStatementLine)
        expression = statement.body[0]
        assert isinstance(expression, cst.Expr) and isinstance(expression.value, cst.Call)
        node = expression.value.args[0].value
        result = found.rule.rewrite(found, node, self._indent)
        if not isinstance(result, cst.BaseExpression) or result is node:
            return None
        region = found.region
        assert isinstance(region, ast.expr)
        if not isinstance(getattr(region, "ctx", ast.Load()), ast.Load):
            targets = (cst.Name, cst.Attribute, cst.Subscript, cst.Tuple, cst.List)
            if not isinstance(result, targets):
                raise _Refused("it is assigned to or deleted")
        outer_quotes = enclosing_quotes(region, self._facts, self._data, self._offset)
        if outer_quotes is None:
            raise _Refused("the f-string around it cannot be read")
        quote = free_quote(outer_quotes) if outer_quotes else self._quote
        restyled = restyle(result, node, quote)
        assert isinstance(restyled, cst.BaseExpression)
        result = restyled
        # What was too weak for its place before stands in parentheses already.
        if strength(result) < demanded(self._facts.parent(region), region) <= strength(node):
            if not self._stands_in_parentheses(region):
                result = parenthesized(result)
        code = module.code_for_node(result)
        breaks_lines = spans_bare_lines(code) and not spans_bare_lines(text)
        if breaks_lines and not self._is_bracketed(region):
            code = module.code_for_node(parenthesized(result))
        if outer_quotes and any(word in code for word in (*outer_quotes, "\\")):
            raise _Refused("an f-string cannot hold the result before Python 3.12")
        return code

    def _is_bracketed(self, node: ast.expr) -> bool:
        """Whether lines may end in an expression, as it stands in brackets."""
        statement = self._facts.statement(node)
        start = min(
            self._offset(part.lineno, part.col_offset)
            for part in (statement, *getattr(statement, "decorator_list", ()))
        )
        above = self._data[start : self._offset(node.lineno, node.col_offset)]
        return leaves_bracket_open(above.decode("utf-8", "replace"))

    def _rewrite_statements(self, found: Found, text: str) -> str | None:
        indented = text[:1] in (" ", "\t")
        header = "if 1:" + self._newline if indented else ""
        module = _with_explicit_indents(self._parse(header + text), self._indent)
        if text.endswith("\r"):
            # libcst does not take it for the end of a line there.
            module = module.with_changes(has_trailing_newline=True)
        if indented:
            frame = module.body[0]
            assert isinstance(frame, cst.If) and isinstance(frame.body, cst.IndentedBlock)
            block = frame.body
        else:
            frame = None
            block = cst.IndentedBlock(body=module.body)
        if isinstance(found.region, ast.stmt):
            if len(block.body) != 1:
                return None
            result = found.rule.rewrite(found, block.body[0], self._indent)
            if result is block.body[0]:
                return None
            new_body = [
                restyle(statement, block.body[0], self._quote)
                for statement in _statements_of(result)
            ]
        else:
            new_block = found.rule.rewrite(found, block, self._indent)
            if new_block is block:
                return None
            assert isinstance(new_block, cst.IndentedBlock)
            new_body = list(new_block.body)
        if not new_body and self._empties_block(found):
            new_body = [cst.SimpleStatementLine(body=[cst.Pass()])]
        if not new_body:
            return _comment_beside(block, text) if found.data.get("leaves_comment") else ""
        if frame is None:
            return module.with_changes(body=new_body).code
        new_frame = frame.with_changes(body=block.with_changes(body=new_body))
        return module.with_changes(body=[new_frame]).code[len(header) :]

    def _empties_block(self, found: Found) -> bool:
        """Whether nothing is left of the block once the region of ``found`` is gone."""
        region = found.region
        assert region is not None and not isinstance(region, ast.expr)
        statements = [region] if isinstance(region, ast.stmt) else list(region)
        self._removed.update(statements)
        if isinstance(self._facts.parent(statements[0]), ast.Module):
            return False
        return self._removed.issuperset(self._facts.block(statements[0]))

    def _parse(self, text: str) -> cst.Module:
        return _parsed(text, self._newline, self._indent)

    def _insertion_edits(self, insertions: Sequence[Insertion], done: set[int]) -> list[Edit]:
        edits = []
        for insertion in insertions:
            wanted = tuple(f for f in insertion.founds if id(f) in done)
            if wanted:
                text = with_line_ends(insertion.text, self._newline).replace('"', self._quote)
                if insertion.offset == len(self._data) and not self._data.endswith((b"\n", b"\r")):
                    text = self._newline + text
                edits.append(Edit(insertion.offset, insertion.end, text.encode("utf-8"), (), True))
        return edits


@functools.lru_cache(maxsize=64)
def _parsed(text: str, newline: str, indent: str) -> cst.Module:
    # What waits for another round is often read again as it was; nodes never change.
    return cst.parse_module(text, _parser_config(newline, indent))


@functools.lru_cache(maxsize=16)
def _parser_config(newline: str, indent: str) -> cst.PartialParserConfig:
    return cst.PartialParserConfig(default_newline=newline, default_indent=indent)


def _with_explicit_indents(module: cst.Module, unit: str) -> cst.Module:
    """libcst takes a region's first indentation for the file's; here every block says its own."""

    def explicit(original: cst.IndentedBlock, updated: cst.IndentedBlock) -> cst.IndentedBlock:
        if updated.indent is None:
            return updated.with_changes(indent=module.default_indent)
        return updated

    changed = changed_below(module, cst.IndentedBlock, explicit)
    return changed.with_changes(default_indent=unit)


def _indent_of(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _statements_of(result: Any) -> list[Any]:
    if isinstance(result, cst.RemovalSentinel):
        return []
    if isinstance(result, cst.FlattenSentinel):
        return list(result)
    return [result]


def _comment_beside(block: cst.IndentedBlock, text: str) -> str:
    """A line of its own for the comment beside a statement that goes, unless it is about that."""
    (statement,) = block.body
    assert isinstance(statement, cst.SimpleStatementLine)
    comment = statement.trailing_whitespace.comment
    if comment is None or is_about_variables_only(comment.value) or is_for_tools(comment.value):
        return ""
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    return f"{indent}{comment.value}{text[len(text.rstrip()) :]}"


def indent_unit(tree: ast.Module, text: str) -> str:
    """One level of indentation as most blocks of the file have it; four spaces where none has."""
    lines = with_line_ends(text, "\n").split("\n")
    units: Counter[str] = Counter()
    pending: list[ast.AST] = [tree]
    for node in pending:
        # There is no statement in an expression.
        pending += [child for child in children(node) if not isinstance(child, ast.expr)]
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and isinstance(body, list) and body:
            outer, inner = node.col_offset, body[0].col_offset
            line = lines[body[0].lineno - 1] if body[0].lineno > node.lineno else ""
            if inner > outer and line and not line[:inner].strip(" \t"):
                units[line[outer:inner]] += 1
                if units.total() == _BLOCKS_ASKED:
                    break
    return units.most_common(1)[0][0] if units else "    "


def _became_call(region: object, after: str) -> bool:
    """Whether an operation is a call on one line now, which needs no parentheses of its own."""
    if not isinstance(region, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)):
        return False
    if "\n" in after or not after.endswith(")"):
        return False
    return isinstance(ast.parse(f"({after}\n)", mode="eval").body, ast.Call)


def loses_comment(before: str, after: str) -> bool:
    """Whether a comment of ``before`` is missing in ``after``, and was not about what is gone."""
    if "#" not in before:
        return False
    lost = [c for c in _comments(before) - _comments(after) if not closes_block(c)]
    return bool(lost) and (bool(after) or not all(map(is_about_variables_only, lost)))


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
