"""Where an expression inside an f-string really stands.

Before Python 3.12 the ``ast`` gives such expressions positions that are wrong, so they are found
again through libcst, which parses f-strings exactly on every version.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts

POSITIONS_ARE_RIGHT = sys.version_info >= (3, 12)

Offset = Callable[[int, int], int]


def true_span(node: ast.expr, facts: Facts, data: bytes, offset: Offset) -> tuple[int, int] | None:
    """The bytes that an expression takes, or None where they cannot be found.

    Args:
        node: the expression.
        facts: the facts of its module.
        data: the module's text as UTF-8.
        offset: turns a line (from 1) and a UTF-8 column (from 0) into a byte offset.
    """
    string = None if POSITIONS_ARE_RIGHT else _outermost_fstring(node, facts)
    if string is None:
        return (
            offset(node.lineno, node.col_offset),
            offset(node.end_lineno or node.lineno, node.end_col_offset or 0),
        )
    start = offset(string.lineno, string.col_offset)
    end = offset(string.end_lineno or string.lineno, string.end_col_offset or 0)
    return _span_in_string(node, string, data[start:end].decode("utf-8"), start)


def is_in_fstring(node: ast.AST, facts: Facts) -> bool:
    """Whether a node is part of an f-string."""
    return _outermost_fstring(node, facts) is not None


def enclosing_quotes(
    node: ast.expr, facts: Facts, data: bytes, offset: Offset
) -> tuple[str, ...] | None:
    """The quotes (``'``, ``\"``, or three of them) of the f-strings around an expression.

    Of f-strings that are written one after the other only the one with the expression counts.

    Args:
        node: the expression.
        facts: the facts of its module.
        data: the module's text as UTF-8.
        offset: turns a line (from 1) and a UTF-8 column (from 0) into a byte offset.

    Returns:
        the quotes, outermost first; none outside f-strings; None where they cannot be found.
    """
    string = _outermost_fstring(node, facts)
    if string is None:
        return ()
    span = true_span(node, facts, data, offset)
    if span is None:
        return None
    start = offset(string.lineno, string.col_offset)
    end = offset(string.end_lineno or string.lineno, string.end_col_offset or 0)
    # One parenthesis stands before the string.
    first, last = span[0] - start + 1, span[1] - start + 1
    return tuple(
        quote
        for begin, stop, quote in _literals(data[start:end].decode("utf-8"))
        if begin < first and last < stop
    )


def _literals(text: str) -> list[tuple[int, int, str]]:
    """First and last byte and quote of every f-string in ``(text)``, outer ones first."""
    try:
        module = cst.parse_module(f"({text})")
    except cst.ParserSyntaxError:
        return []
    from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

    spans = MetadataWrapper(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
    return sorted(
        (span.start, span.start + span.length, node.quote)
        for node, span in spans.items()
        if isinstance(node, cst.FormattedString)
    )


def _outermost_fstring(node: ast.AST, facts: Facts) -> ast.JoinedStr | None:
    result = None
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.JoinedStr):
            result = parent
    return result


def _span_in_string(
    node: ast.expr, string: ast.JoinedStr, text: str, start: int
) -> tuple[int, int] | None:
    try:
        literal = cst.parse_expression(f"({text})")
    except cst.ParserSyntaxError:
        return None
    values = list(_formatted_values(string))
    spans = list(_expression_spans(literal, 0))
    if len(values) != len(spans):
        return None
    for value, (begin, code) in zip(values, spans, strict=True):
        # One parenthesis stands before the string, one before the expression.
        shift = start + len(text[: begin - 1].encode("utf-8")) - 1
        span = _span_in_expression(node, value, code, shift)
        if span is not None:
            return span
    return None


def _span_in_expression(
    node: ast.expr, value: ast.expr, code: str, shift: int
) -> tuple[int, int] | None:
    data = f"({code})".encode()
    for inner, found in zip(_preorder(value), _preorder(_parse(code)), strict=False):
        if not isinstance(found, ast.expr) or found.lineno != 1 or found.end_lineno != 1:
            continue
        first, last = found.col_offset, found.end_col_offset or 0
        if inner is node:
            return shift + first, shift + last
        if isinstance(inner, ast.JoinedStr) and isinstance(found, ast.JoinedStr):
            text = data[first:last].decode("utf-8")
            span = _span_in_string(node, inner, text, shift + first)
            if span is not None:
                return span
    return None


def _parse(code: str) -> ast.AST:
    try:
        return ast.parse(f"({code})", mode="eval").body
    except SyntaxError:
        return ast.Pass()


def _preorder(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what it consists of; f-strings as a whole, as positions in them are wrong."""
    yield node
    if isinstance(node, ast.JoinedStr):
        return
    for child in ast.iter_child_nodes(node):
        yield from _preorder(child)


def _formatted_values(string: ast.JoinedStr) -> Iterator[ast.expr]:
    for part in string.values:
        if isinstance(part, ast.FormattedValue):
            yield part.value
            if isinstance(part.format_spec, ast.JoinedStr):
                yield from _formatted_values(part.format_spec)


def _expression_spans(node: cst.CSTNode, at: int) -> Iterator[tuple[int, str]]:
    """The offset and text of each ``{expression}`` of a string literal's code."""
    empty = cst.Module([])
    if isinstance(node, cst.FormattedStringExpression):
        code = empty.code_for_node(node.expression)
        before = at + len("{") + len(empty.code_for_node(node.whitespace_before_expression))
        yield before, code
        spec = node.format_spec or ()
        position = (
            at
            + len(empty.code_for_node(node))
            - 1
            - len("".join(empty.code_for_node(part) for part in spec))
        )
        for part in spec:
            yield from _expression_spans(part, position)
            position += len(empty.code_for_node(part))
        return
    if isinstance(node, cst.FormattedString):
        position = at + len(node.start)
        position += sum(len(empty.code_for_node(p)) for p in node.lpar)
        for piece in node.parts:
            yield from _expression_spans(piece, position)
            position += len(empty.code_for_node(piece))
    elif isinstance(node, cst.ConcatenatedString):
        position = at + sum(len(empty.code_for_node(p)) for p in node.lpar)
        yield from _expression_spans(node.left, position)
        position += len(empty.code_for_node(node.left))
        position += len(empty.code_for_node(node.whitespace_between))
        yield from _expression_spans(node.right, position)
