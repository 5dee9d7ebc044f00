"""Each rule is asked about the nodes that its words stand for, and about no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from torchfix_codemods.engine.dispatch import find, is_candidate
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import FileError, Numerics
from torchfix_codemods.rule import Found, Rule


class _Asked(Rule):
    """Tells of every node that it is asked about."""

    name = "asked"
    numerics = Numerics.ADVICE

    def __init__(self, code: str, words: str, beside: str = "") -> None:
        self.code = code
        self.words = frozenset(words.split())
        self.beside = frozenset(beside.split())

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        yield self.advice(node, "call")

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield self.advice(node, "attribute")

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        yield self.advice(node, "name")

    def find_Global(self, node: ast.Global, facts: Facts) -> Iterator[Found]:
        yield self.advice(node, "global")


def asked(text: str, *rules: Rule) -> list[tuple[str, str]]:
    """The code of each rule that is asked and the node that it is asked about, in that order."""
    errors: list[FileError] = []
    founds = [*find(facts_of(text), rules, errors)]
    assert not errors
    return [(found.rule.code, ast.unparse(found.node)) for found in founds]


@pytest.mark.parametrize(
    ("text", "words", "nodes"),
    [
        ("x.pad\n", "pad", ["x.pad"]),
        ("f(pad=1)\n", "pad", ["f(pad=1)"]),
        ("pad(1)\n", "pad", ["pad(1)", "pad"]),
        ("from torch import pad as p\np(1)\n", "pad", ["p(1)", "p"]),
        ("pad = x.stack\npad(1)\n", "stack", ["x.stack", "pad(1)", "pad", "pad"]),
        ("x.pad\n", "stack", []),
        ("x.unpad\n", "pad", []),
        ("def f():\n    global pad\n", "pad", ["global pad"]),
        ("from torch import stack as pad\npad(1)\n", "pad stack", ["pad(1)", "pad"]),
    ],
)
def test_by_words(text: str, words: str, nodes: list[str]) -> None:
    assert asked(text, _Asked("TP1", words)) == [("TP1", node) for node in nodes]


def test_in_the_order_of_the_rules() -> None:
    first, second, third = _Asked("TP1", "stack"), _Asked("TP2", "pad"), _Asked("TP3", "stack")
    text = "from torch import stack as pad\npad(1)\n"
    calls = [code for code, node in asked(text, first, second, third) if node == "pad(1)"]
    assert calls == ["TP1", "TP2", "TP3"]


def test_what_is_wanted_beside() -> None:
    assert asked("x.pad\n", _Asked("TP1", "pad", "stack")) == []
    assert asked("x.pad\nstack\n", _Asked("TP1", "pad", "stack")) == [("TP1", "x.pad")]
    assert not is_candidate("x.pad\n", [_Asked("TP1", "pad", "stack")])
    assert is_candidate("x.pad\nstack\n", [_Asked("TP1", "pad", "stack")])


def test_a_rule_without_words_is_asked_of_every_file() -> None:
    assert is_candidate("", [_Asked("TP1", "")])
    assert not is_candidate("x = 1\n", [_Asked("TP1", "pad")])
