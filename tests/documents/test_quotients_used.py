"""What a quotient of Python 2 is used for shows that it may have been a whole number."""

from __future__ import annotations

import pytest

from tests.documents.test_python2 import migrate

_TITLE = """\
def title(n):
    result, left = "", n
    while left:
        result += chr((left - 1) % 26 + ord("A"))
        left = (left - 1) / 26
    print result
"""
_SOMETIMES = """\
def f(a, b, x):
    part = a / 2
    if b:
        {use}
    print part
"""


def _told(text: str) -> list[int]:
    return [f.line for f in migrate(text).findings if f.code == "TP002"]


def test_what_comes_to_a_letter_in_the_next_round_is_told_of() -> None:
    assert _told(_TITLE) == [5]


def test_a_letter_of_a_quotient_is_rounded() -> None:
    result = migrate("def f(a):\n    print chr(a / 2)\n")
    assert "chr(a // 2)" in (result.after or "")


@pytest.mark.parametrize("use", ["return range(part)", "return x[part:]", "print chr(part + 3)"])
def test_what_may_come_to_a_place_of_whole_numbers_is_told_of(use: str) -> None:
    assert _told(_SOMETIMES.format(use=use)) == [2]


@pytest.mark.parametrize(
    "use", ["return f(part)", "return x[part]", "print str(part)", "return range(int(part))"]
)
def test_what_comes_to_other_places_is_not_told_of(use: str) -> None:
    assert not _told(_SOMETIMES.format(use=use))


@pytest.mark.parametrize("old", ["(left - 1) / 26.", "int((left - 1) / 26)", "(left - 1) // 26"])
def test_no_quotient_of_whole_numbers_is_not_told_of(old: str) -> None:
    assert not _told(_TITLE.replace("(left - 1) / 26", old))


def test_a_name_that_gets_something_else_first_is_not_told_of() -> None:
    assert not _told(_SOMETIMES.format(use="part = b; return range(part)"))


def test_chr_of_the_file_takes_anything() -> None:
    assert not _told("def chr(x):\n    return x\n" + _TITLE)
