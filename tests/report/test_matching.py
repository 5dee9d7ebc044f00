"""Lines that are the same, held against difflib, which looks at more."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from torchfix_codemods.report.matching import Matcher

#: Few lines that come often, and many that come once.
LINES = st.lists(st.one_of(st.sampled_from("ab"), st.integers(0, 30).map(str)), max_size=30)
EDITS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), LINES), max_size=4)


@given(LINES, EDITS)
def test_finds_what_difflib_finds(
    before: list[str], edits: list[tuple[int, int, list[str]]]
) -> None:
    after = [*before]
    for start, length, new in edits:
        after[start : start + length] = new[:4]
    expected = difflib.SequenceMatcher(None, before, after, autojunk=False)
    assert Matcher(before, after).get_opcodes() == expected.get_opcodes()
    whole = Matcher(before, after).find_longest_match()
    assert whole == expected.find_longest_match()


def test_the_first_of_equally_long_matches_counts() -> None:
    before, after = ["p", "x", "q", "y"], ["y", "q", "x", "p"]
    assert Matcher(before, after).find_longest_match() == (0, 3, 1)
