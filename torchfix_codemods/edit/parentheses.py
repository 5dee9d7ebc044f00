"""Parentheses: what a replacement needs so that its new place reads it as one expression."""

from __future__ import annotations

import ast
import io
import tokenize

from torchfix_codemods.edit import cst
from torchfix_codemods.text.source import with_line_ends

# Binding strength, loosest first. Only the order matters.
_LAMBDA, _TERNARY, _OR, _AND, _NOT, _COMPARE, _BITWISE, _SUM, _PRODUCT, _SIGN, _POWER, _AWAIT = (
    range(1, 13)
)
_ATOM = 20

_BITWISE_OPERATORS = (ast.BitOr, ast.BitXor, ast.BitAnd, ast.LShift, ast.RShift)


def strength(node: cst.BaseExpression) -> int:
    """How tightly an expression holds together; atoms and calls most."""
    if node.lpar:
        return _ATOM
    if isinstance(node, (cst.NamedExpr, cst.Yield)) or (
        isinstance(node, cst.Tuple) and not node.lpar
    ):
        return 0
    if isinstance(node, cst.Lambda):
        return _LAMBDA
    if isinstance(node, cst.IfExp):
        return _TERNARY
    if isinstance(node, cst.BooleanOperation):
        return _OR if isinstance(node.operator, cst.Or) else _AND
    if isinstance(node, cst.UnaryOperation):
        return _NOT if isinstance(node.operator, cst.Not) else _SIGN
    if isinstance(node, cst.Comparison):
        return _COMPARE
    if isinstance(node, cst.BinaryOperation):
        return _strength_of_binary(node.operator)
    return _AWAIT if isinstance(node, cst.Await) else _ATOM


def _strength_of_binary(operator: cst.BaseBinaryOp) -> int:
    if isinstance(operator, cst.Power):
        return _POWER
    if isinstance(operator, (cst.Add, cst.Subtract)):
        return _SUM
    if isinstance(operator, (cst.BitOr, cst.BitXor, cst.BitAnd, cst.LeftShift, cst.RightShift)):
        return _BITWISE
    return _PRODUCT


def demanded(parent: ast.AST | None, child: ast.expr) -> int:
    """The strength that the place of ``child`` in ``parent`` asks for."""
    if isinstance(parent, (ast.Attribute, ast.Subscript, ast.Call)) and _is_head(parent, child):
        return _ATOM
    if isinstance(parent, ast.Await):
        return _ATOM
    if isinstance(parent, ast.BinOp):
        return _demanded_by_binary(parent, child)
    if isinstance(parent, ast.UnaryOp):
        return _NOT if isinstance(parent.op, ast.Not) else _SIGN
    if isinstance(parent, ast.Compare):
        return _COMPARE + 1
    if isinstance(parent, ast.BoolOp):
        return _OR + 1 if isinstance(parent.op, ast.Or) else _AND + 1
    if isinstance(parent, ast.IfExp):
        return _TERNARY if child is parent.orelse else _OR
    if isinstance(parent, (ast.Starred, ast.FormattedValue)):
        return _BITWISE
    if isinstance(parent, ast.comprehension):
        return _OR
    if isinstance(parent, (ast.Expr, ast.Assign, ast.Return, ast.Subscript)):
        return 0
    return _LAMBDA


def _is_head(parent: ast.Attribute | ast.Subscript | ast.Call, child: ast.expr) -> bool:
    head = parent.func if isinstance(parent, ast.Call) else parent.value
    return head is child


def _demanded_by_binary(parent: ast.BinOp, child: ast.expr) -> int:
    operator = parent.op
    if isinstance(operator, ast.Pow):
        return _POWER + 1 if child is parent.left else _SIGN
    if isinstance(operator, _BITWISE_OPERATORS):
        return _SUM
    level = _SUM if isinstance(operator, (ast.Add, ast.Sub)) else _PRODUCT
    return level if child is parent.left else level + 1


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """``node`` in one more pair of parentheses."""
    return node.with_changes(
        lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()]
    )


def without_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    """An operation, or a call, without the one pair around it; its place gives it another where it
    needs one.

    Comments and line ends inside of the pair keep it.
    """
    is_operation = isinstance(node, (cst.Comparison, cst.BinaryOperation))
    is_bare = is_operation or isinstance(node, (cst.Call, cst.Name, cst.Attribute, cst.Subscript))
    if not is_bare or len(node.lpar) != 1:
        return node
    inside = (node.lpar[0].whitespace_after, node.rpar[0].whitespace_before)
    if not all(isinstance(space, cst.SimpleWhitespace) for space in inside):
        return node
    return node.with_changes(lpar=[], rpar=[])


def as_operand(node: cst.BaseExpression) -> cst.BaseExpression:
    """``node`` such that ``.attribute`` can follow it."""
    needs = strength(node) < _ATOM or isinstance(node, (cst.Integer, cst.Float))
    return parenthesized(node) if needs and not node.lpar else node


def calling(node: cst.BaseExpression, method: str) -> cst.Call:
    """``node.method()``."""
    return cst.Call(cst.Attribute(value=as_operand(node), attr=cst.Name(method)))


def in_place_of(old: cst.BaseExpression, text: str) -> cst.BaseExpression:
    """The expression of a text, in the parentheses of ``old`` where it has none of its own."""
    new = cst.parse_expression(text)
    return new if new.lpar else new.with_changes(lpar=old.lpar, rpar=old.rpar)


def spans_bare_lines(code: str) -> bool:
    """Whether an expression's text breaks a line outside all brackets and strings."""
    code = with_line_ends(code, "\n")
    if "\n" not in code:
        return False
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
            if token.string in ("(", "[", "{") and token.type == tokenize.OP:
                depth += 1
            elif token.string in (")", "]", "}") and token.type == tokenize.OP:
                depth -= 1
            elif token.type == tokenize.NEWLINE and depth == 0:
                return token.start[0] <= code.count("\n")
    except (tokenize.TokenError, SyntaxError):
        return True
    return False


def leaves_bracket_open(code: str) -> bool:
    """Whether a bracket is still open at the end of a statement's first part."""
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(with_line_ends(code, "\n")).readline):
            if token.type == tokenize.OP:
                depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
    except (tokenize.TokenError, SyntaxError):
        # What is left open raises at the end.
        pass
    return depth > 0
