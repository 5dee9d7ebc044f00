"""Rewrites the code of one region: libcst parses it, a rule changes it, and its text comes back."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.parentheses import demanded, parenthesized, spans_bare_lines, strength
from torchfix_codemods.edit.tidying.blank_lines import with_blank_lines_of
from torchfix_codemods.edit.tidying.quotes import free_quote, preferred_quote, restyle
from torchfix_codemods.edit.tidying.stale_comments import is_about_variables_only, is_for_tools
from torchfix_codemods.engine.fstrings import enclosing_quotes
from torchfix_codemods.engine.spans import Spans
from torchfix_codemods.facts.language.nodes import children
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found
from torchfix_codemods.text.source import dominant_newline, with_line_ends

#: So many blocks tell how a file indents.
_BLOCKS_ASKED = 25


class RefusedError(Exception):
    """A rewrite that cannot be written where it belongs; the message says why."""


class Rewriter:
    """Rewrites regions of one module.

    Args:
        facts: the facts of the module.
        text: its text.
        spans: where its code stands.
    """

    def __init__(self, facts: Facts, text: str, spans: Spans) -> None:
        self._facts = facts
        self._spans = spans
        self._data = text.encode("utf-8")
        self.newline = dominant_newline(text)
        self.quote = preferred_quote(text)
        self._indent = indent_unit(facts.tree, facts.text)
        self._removed: set[ast.stmt] = set()

    def begin(self) -> None:
        """Forget which statements were taken away."""
        self._removed = set()

    def rewrite(self, found: Found, text: str) -> str | None:
        """What becomes of the text of a region; None where it stays.

        Raises:
            RefusedError: it cannot be written there.
            libcst.ParserSyntaxError: libcst cannot parse it.
            Exception: whatever the method of the rule raises.
        """
        is_expression = isinstance(found.region, ast.expr)
        of = self._rewrite_expression if is_expression else self._rewrite_statements
        return of(found, text)

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
                raise RefusedError("it is assigned to or deleted")
        outer_quotes = enclosing_quotes(region, self._facts, self._data, self._spans.offset)
        if outer_quotes is None:
            raise RefusedError("the f-string around it cannot be read")
        quote = free_quote(outer_quotes) if outer_quotes else self.quote
        restyled = restyle(result, node, quote)
        assert isinstance(restyled, cst.BaseExpression)
        result = restyled
        # What was too weak for its place before stands in parentheses already.
        if strength(result) < demanded(self._facts.parent(region), region) <= strength(node):
            if not self._spans.stands_in_parentheses(region):
                result = parenthesized(result)
        code = module.code_for_node(result)
        breaks_lines = spans_bare_lines(code) and not spans_bare_lines(text)
        if breaks_lines and not self._spans.is_bracketed(region):
            code = module.code_for_node(parenthesized(result))
        if outer_quotes and any(word in code for word in (*outer_quotes, "\\")):
            raise RefusedError("an f-string cannot hold the result before Python 3.12")
        return code

    def _rewrite_statements(self, found: Found, text: str) -> str | None:
        indented = text[:1] in (" ", "\t")
        header = "if 1:" + self.newline if indented else ""
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
                restyle(statement, block.body[0], self.quote)
                for statement in _statements_of(result)
            ]
        else:
            new_block = found.rule.rewrite(found, block, self._indent)
            if new_block is block:
                return None
            assert isinstance(new_block, cst.IndentedBlock)
            new_body = [restyle(statement, block, self.quote) for statement in new_block.body]
            # Comments that stood above a line that is gone.
            block = block.with_changes(footer=new_block.footer)
        if not new_body and self._empties_block(found):
            new_body = [cst.SimpleStatementLine(body=[cst.Pass()])]
        if not new_body:
            return _comment_beside(block, text) if found.data.get("leaves_comment") else ""
        if frame is None:
            footer = [*block.footer, *module.footer]
            return with_blank_lines_of(text, module.with_changes(body=new_body, footer=footer).code)
        new_frame = frame.with_changes(body=block.with_changes(body=new_body))
        code = module.with_changes(body=[new_frame]).code[len(header) :]
        return with_blank_lines_of(text, code)

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
        return _parsed(text, self.newline, self._indent)


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
