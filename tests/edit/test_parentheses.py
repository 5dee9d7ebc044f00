"""An expression that may stand somewhere without parentheses means the same there."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from torchfix_codemods.edit.parentheses import demanded, spans_bare_lines, strength

INNER = (
    "a",
    "a.b",
    "a[0]",
    "a()",
    "a + b",
    "a - b",
    "a * b",
    "a % b",
    "a @ b",
    "a ** b",
    "a | b",
    "a << b",
    "-a",
    "not a",
    "a and b",
    "a or b",
    "a < b",
    "a is not b",
    "a if b else c",
    "lambda: a",
    "(a)",
    "(a := b)",
    "await a",
)

OUTER = (
    "{}.x",
    "{}[0]",
    "{}()",
    "x({})",
    "x[{}]",
    "[{}]",
    "{} + x",
    "x + {}",
    "x - {}",
    "{} * x",
    "x // {}",
    "{} ** x",
    "x ** {}",
    "{} | x",
    "x & {}",
    "x >> {}",
    "-{}",
    "not {}",
    "{} and x",
    "x and {}",
    "{} or x",
    "{} < x",
    "x in {}",
    "{} if x else y",
    "x if {} else y",
    "x if y else {}",
    "lambda: {}",
    "await {}",
)


def _tree(expression: str) -> ast.AST:
    return ast.parse(f"async def f():\n    z = ({expression})")


@pytest.mark.parametrize("inner", INNER)
def test_what_needs_no_parentheses_means_the_same_without(inner: str) -> None:
    bare = inner.removeprefix("(").removesuffix(")") if inner.startswith("(") else inner
    given = strength(cst.parse_expression(inner).with_changes(lpar=[], rpar=[]))
    for outer in OUTER:
        tree = _tree(outer.format(f"({bare})"))
        parent, child = _place(tree, ast.dump(_value(bare)))
        if given >= demanded(parent, child):
            code = outer.format(bare)
            assert ast.dump(_tree(code)) == ast.dump(tree), code


def _value(expression: str) -> ast.expr:
    tree = _tree(expression)
    return next(node.value for node in ast.walk(tree) if isinstance(node, ast.Assign))


def _place(tree: ast.AST, dumped: str) -> tuple[ast.AST, ast.expr]:
    """The outermost expression of a form below the assignment, and its parent."""
    for parent in ast.walk(tree):
        if isinstance(parent, (ast.Module, ast.AsyncFunctionDef, ast.Assign)):
            continue
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.expr) and ast.dump(child) == dumped:
                return parent, child
    raise LookupError(dumped)


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("a * b", "{} + x"),
        ("a ** b", "-{}"),
        ("a + b", "{} + x"),
        ("a + b", "x < {}"),
        ("a < b", "x and {}"),
        ("a < b", "not {}"),
        ("a and b", "x or {}"),
        ("a or b", "{} if x else y"),
        ("-a", "{} * x"),
        ("-a", "x ** {}"),
        ("a.b", "{}.x"),
        ("a if b else c", "x({})"),
    ],
)
def test_no_parentheses_that_nobody_would_write(inner: str, outer: str) -> None:
    parent, child = _place(_tree(outer.format(f"({inner})")), ast.dump(_value(inner)))
    assert strength(cst.parse_expression(inner)) >= demanded(parent, child)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a + b", False),
        ("a +\n b", True),
        ("(a +\n b)", False),
        ("f(a,\n  b)", False),
        ("f(a).\n  b", True),
        ("a + '''\n'''", False),
        ("a[\n0] +\n b", True),
        ("a + \\\n  b", False),
    ],
)
def test_lines_that_nothing_holds_together(code: str, expected: bool) -> None:
    for newline in ("\n", "\r\n", "\r"):
        assert spans_bare_lines(code.replace("\n", newline)) is expected
