"""What is told once in a file."""

from __future__ import annotations

import pytest

from tests.support.rules import advice
from torchfix_codemods.engine.alike import told_once
from torchfix_codemods.finding import Finding, Numerics


def _said(
    line: int, message: str = "a", code: str = "TP904", numerics: Numerics = Numerics.ADVICE
) -> Finding:
    fixed = numerics is not Numerics.ADVICE
    return Finding(line, 1, code, "name", message, numerics, fixed)


def _told(*findings: Finding) -> list[tuple[int, str]]:
    return [(f.line, f.message) for f in told_once(findings, {"TP904"})]


def test_the_other_lines_are_named_at_the_first() -> None:
    assert _told(_said(3), _said(5), _said(5), _said(9)) == [(3, "a (also lines 5, 9)")]
    assert _told(_said(3), _said(3), _said(4)) == [(3, "a (also line 4)")]


def test_many_lines_are_counted() -> None:
    ((_, message),) = _told(*map(_said, range(1, 15)))
    assert message == "a (also lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more)"


@pytest.mark.parametrize(
    "other",
    [
        _said(5, message="b"),
        _said(5, code="TP102"),
        _said(5, numerics=Numerics.RESTORED),
    ],
)
def test_other_words_other_rules_and_rewrites_stay(other: Finding) -> None:
    assert _told(_said(3), other) == [(3, "a"), (5, other.message)]


def test_rewrites_and_other_rules_are_told_at_each_line() -> None:
    fixed = [_said(line, numerics=Numerics.RESTORED) for line in (3, 4)]
    others = [_said(line, code="TP102") for line in (5, 6, 6)]
    assert _told(*fixed, *others) == [(3, "a"), (4, "a"), (5, "a"), (6, "a")]


def test_a_line_that_a_comment_hides_is_not_named() -> None:
    text = (
        "from torchtext import data\na = data.Field()\n"
        "b = data.Field()  # torchfix: ignore[TP904]\nc = data.Field()\n"
    )
    (found,) = advice("TP904", text)
    assert found.message.endswith(" (also line 4)")
