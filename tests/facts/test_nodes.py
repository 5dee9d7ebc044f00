"""What is said of the nodes of a tree without asking the standard library, which is slower."""

import ast
from pathlib import Path

import pytest

from torchfix_codemods.facts.language.nodes import children, same_expression, walk
from torchfix_codemods.text.repair import repair_async

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "rules").glob("*.py"))
WITHOUT = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.alias)

EXPRESSIONS = [
    "x",
    "y",
    "x.a",
    "x.b",
    "1",
    "1.0",
    "True",
    "'1'",
    "b'1'",
    "u'1'",
    "f(x)",
    "f(*x)",
    "f(a=x)",
    "f(b=x)",
    "f(**x)",
    "f(x, y)",
    "x + 1",
    "x - 1",
    "x[0]",
    "x[:0]",
    "x[0:]",
    "[x]",
    "(x,)",
    "{x: y}",
    "{**x}",
    "{**x, y: y}",
    "lambda a: a",
    "lambda b: b",
    "lambda *, a=1, b: a",
    "[i for i in x]",
    "[i for i in x if i]",
    "f'{x}'",
    "f'{x!r}'",
    "float('nan')",
    "1e999",
]


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize("left", EXPRESSIONS)
def test_what_is_written_alike_is_dumped_alike(left: str) -> None:
    for right in EXPRESSIONS:
        a, b = parsed(left), parsed(f"({right} )")
        assert same_expression(a, b) == (ast.dump(a) == ast.dump(b)), right


def test_what_is_assigned_is_not_what_is_read() -> None:
    statement = ast.parse("x = x").body[0]
    assert isinstance(statement, ast.Assign)
    assert not same_expression(statement.targets[0], statement.value)
    assert same_expression(statement.value, parsed("x"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_walk_meets_all_nodes_in_the_order_of_the_standard_library(path: Path) -> None:
    tree = ast.parse(repair_async(path.read_text("utf-8"))[0])
    assert list(walk(tree)) == [n for n in ast.walk(tree) if not isinstance(n, WITHOUT)]


@pytest.mark.parametrize(("text", "count"), [("{**x, y: y}", 3), ("lambda *, a, b=1: a", 2)])
def test_missing_children_are_none_at_all(text: str, count: int) -> None:
    nodes = list(walk(parsed(text)))
    assert None not in [child for node in nodes for child in children(node)]
    assert len(children(parsed(text))) == count
