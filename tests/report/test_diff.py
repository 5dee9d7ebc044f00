"""Unified diffs: only what changed stands in them, and they are what difflib says otherwise."""

from __future__ import annotations

import difflib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.report.diff import split_lines, unified_diff


def test_lines_that_come_often_are_not_taken_for_changed() -> None:
    function = "def f{0}(x):\n    model = make({0})\n    return model\n\n\n"
    before = "".join(function.format(number) for number in range(100)).rstrip("\n") + "\n"
    after = before.replace("make(99)", "build(99)")
    changed = unified_diff("a.py", before, after).splitlines()[2:]
    assert [line for line in changed if line[0] in "+-"] == [
        "-    model = make(99)",
        "+    model = build(99)",
    ]


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "", "\n", "d"]), max_size=12).map("".join)


@given(TEXTS, TEXTS)
def test_is_what_difflib_says_of_short_texts(before: str, after: str) -> None:
    lines = difflib.unified_diff(split_lines(before), split_lines(after), "a/x.py", "b/x.py")
    expected = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    assert unified_diff("x.py", before, after) == expected


@given(st.sets(st.integers(0, 60)), st.sets(st.integers(0, 60)), st.integers(0, 60))
def test_is_what_difflib_says_of_changes_far_apart(
    dropped: set[int], changed: set[int], count: int
) -> None:
    before = [f"line {number}\n" for number in range(count)]
    after = [
        f"new {number}\n" if number in changed else line
        for number, line in enumerate(before)
        if number not in dropped
    ]
    expected = "".join(difflib.unified_diff(before, after, "a/x.py", "b/x.py"))
    assert unified_diff("x.py", "".join(before), "".join(after)) == expected


@pytest.mark.parametrize("text", ["", "x\n", "x"])
def test_nothing_changed_is_no_diff(text: str) -> None:
    assert unified_diff("x.py", text, text) == ""


def test_a_hunk_tells_what_is_lost_besides_numbers() -> None:
    before, after = "f(verbose=True)\nx\n", "f()\nx\n"
    lost = Finding(1, 1, "TP902", "renamed-keyword", "it is lost", Numerics.RESTORED, fixed=True)
    diff = unified_diff("x.py", before, after, [replace(lost, loses=True)])
    assert "@@ TP902 renamed-keyword (restored): it is lost\n" in diff
    for quiet in (lost, replace(lost, loses=True, fixed=False), replace(lost, line=9, loses=True)):
        assert "TP902" not in unified_diff("x.py", before, after, [quiet])


def _finding(line: int, message: str, code: str = "TP104") -> Finding:
    return Finding(line, 1, code, "data-attribute", message, Numerics.PINNED, fixed=True)


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (1, "TP104 data-attribute (pinned): buffer 0"),
        (2, "TP104 data-attribute (pinned): buffer 0; buffer 1"),
        (5, "TP104 data-attribute (pinned): buffer 0; buffer 1 (and 3 more)"),
    ],
)
def test_a_hunk_tells_a_few_of_the_reasons_of_a_rule(count: int, reason: str) -> None:
    before = "".join(f"x{line}.data.resize_(3)\n" for line in range(count))
    findings = [_finding(line + 1, f"buffer {line}") for line in range(count)]
    findings.append(_finding(1, "another rule", "TP105"))
    diff = unified_diff("x.py", before, before.replace(".data", ""), findings)
    head = diff.splitlines()[2].partition(" @@ ")[2]
    assert head == f"{reason}; TP105 data-attribute (pinned): another rule"
