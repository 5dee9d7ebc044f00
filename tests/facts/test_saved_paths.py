"""Which file a model is saved to, or loaded from."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.saved_paths import literal_path, other_path, same_path
from torchfix_codemods.facts.programs.whole import WholeFacts


def _arguments(text: str) -> tuple[Facts, list[ast.expr]]:
    """The arguments of the last ``look(…)`` of the text."""
    text = f"import os\n{text}\n"
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts, max(looks, key=lambda c: c.lineno).args


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("look('a.pt')", "a.pt"),
        ("look(open('a.pt'))", "a.pt"),
        ("f = open('a.pt', 'wb')\nlook(f)", "a.pt"),
        ("with open('a.pt') as f:\n    look(f)", "a.pt"),
        ("def save(p):\n    look(p)\nsave('a.pt')", "a.pt"),
        ("def save(p):\n    look(p)\nwith open('a.pt') as f:\n    save(f)", "a.pt"),
        ("def save(p):\n    with open(p) as f:\n        look(f)\nsave('a.pt')", "a.pt"),
        ("def save(p):\n    look(p)\nsave('a.pt')\nsave('b.pt')", None),
        ("def save(p):\n    p = p + 'x'\n    look(p)\nsave('a.pt')", None),
        ("f = open('a.pt')\nif k:\n    f = open('b.pt')\nlook(f)", None),
        ("look(open())", None),
        ("look(read('a.pt'))", None),
        ("look(k)", None),
        ("look(3)", None),
    ],
)
def test_path_that_is_written_out(text: str, path: str | None) -> None:
    facts, (argument,) = _arguments(text)
    assert literal_path(facts, argument) == path


@pytest.mark.parametrize(
    ("text", "is_same", "is_other"),
    [
        ("look('a.pt', 'a.pt')", True, False),
        ("look('a.pt', 'b.pt')", False, True),
        ("look('x/a.pt', 'y/a.pt')", False, False),
        ("look('x/a.pt', 'y\\\\b.pt')", False, True),
        ("look(os.path.join(d, 'a.pt'), os.path.join(d, 'a.pt'))", True, False),
        ("look(os.path.join(d, 'a.pt'), os.path.join(d, 'b.pt'))", False, True),
        ("look(os.path.join(d, 'a.pt'), 'b.pt')", False, True),
        ("look(os.path.join(d, k), 'b.pt')", False, False),
        ("look(d + 'a.pt', d + 'a.pt')", True, False),
        ("d = 'x'\nlook(d + 'a.pt', d + 'a.pt')", True, False),
        ("d = 'x'\nd = 'y'\nlook(d + 'a.pt', d + 'a.pt')", False, False),
        ("look(read(), read())", False, False),
        ("p = 'a.pt'\nq = 'b.pt'\nlook(p, q)", False, True),
        ("p = 'a.pt'\nlook(p, k)", False, False),
        ("p = 'a.pt'\nif k:\n    p = 'c.pt'\nlook(p, 'b.pt')", False, False),
    ],
)
def test_two_paths(text: str, is_same: bool, is_other: bool) -> None:
    facts, (left, right) = _arguments(text)
    assert same_path(facts, left, right) is is_same
    assert other_path(facts, left, right) is is_other
