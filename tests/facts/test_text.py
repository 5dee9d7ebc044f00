"""The text of expressions as it stands in the file."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.programs.whole import WholeFacts


def test_an_expression_of_several_lines_keeps_its_line_ends() -> None:
    text = "é = f(ü, (1,\r\n  'ä',\r\n  2)); y = 1\r\n"
    facts = WholeFacts(ast.parse(text), text)
    (call,) = facts.names.nodes[ast.Call]
    assert isinstance(call, ast.Call)
    assert facts.segment(call) == "f(ü, (1,\r\n  'ä',\r\n  2))"
    assert facts.segment(call.args[1]) == "(1,\r\n  'ä',\r\n  2)"


def test_a_form_feed_ends_no_line() -> None:
    text = "x = 1\n\x0cy = (1,\n  2)\n"
    facts = WholeFacts(ast.parse(text), text)
    (pair,) = facts.names.nodes[ast.Tuple]
    assert isinstance(pair, ast.Tuple)
    assert facts.segment(pair) == "(1,\n  2)"


def test_lines_that_earlier_rounds_rewrote() -> None:
    text = "a = 1\nb = (2,\n     3)\nc = 4\n"
    tree = ast.parse(text)
    touched = {
        line: [WholeFacts(tree, text, touched={line}).touched(statement) for statement in tree.body]
        for line in (1, 2, 3, 4)
    }
    assert touched == {
        1: [True, False, False],
        2: [False, True, False],
        3: [False, True, False],
        4: [False, False, True],
    }
    assert not any(WholeFacts(tree, text).touched(statement) for statement in tree.body)
