"""What a name is assigned, whichever way."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts


def _assigned(text: str) -> list[str] | None:
    """The values of what the last ``look(…)`` of a text is given."""
    facts = WholeFacts(ast.parse(text), text)
    calls = [node for node in ast.walk(facts.tree) if isinstance(node, ast.Call)]
    name = next(c for c in calls if ast.unparse(c.func) == "look").args[0]
    assert isinstance(name, ast.Name)
    found = facts.assigned(name)
    return None if found is None else [ast.unparse(value) for value in found]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x = 1\nlook(x)", ["1"]),
        ("x = 1\nif k:\n    x = 2\nlook(x)", ["2", "1"]),
        ("x, y = f(1), 2\nlook(x)", ["f(1)"]),
        ("(x, y), z = [f(1), 2], 3\nlook(y)", ["2"]),
        ("x, *y = f(1), 2, 3\nlook(x)", ["f(1)"]),
        ("x, *y = f(1), 2, 3\nlook(y)", None),
        ("x, y = f(1)\nlook(x)", None),
        ("x, y = *f(1), 2\nlook(x)", None),
        ("x = 1\nif k:\n    x, y = f(1)\nlook(x)", None),
        ("for x in y:\n    look(x)", None),
        ("def f(x):\n    look(x)", None),
        ("x = 1\nx += 1\nlook(x)", None),
        ("look(x)", None),
    ],
)
def test_assigned(text: str, values: list[str] | None) -> None:
    assert _assigned(text) == values
