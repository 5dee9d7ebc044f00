"""The tutorial shows what its commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripts import script

ROOT = Path(__file__).parents[1]
console = script("docs/console.py")
PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")


def test_the_commands_of_the_tutorial_print_what_it_shows(tmp_path: Path) -> None:
    assert PAGE.count("\n$ ") > 15
    assert console.executed(PAGE, tmp_path) == PAGE


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("a\n", "a\n", True),
        ("2 passed in 1.21s\n", "2 passed in 0.40s\n", True),
        ("…\nb\n", "a\na\nb\n", True),
        ("a: …)\n", "a: b)\n", True),
        ("a\n", "a\nb\n", False),
        ("…\nb\n", "a\nb\nc\n", False),
        ("a: …)\n", "a: b\n)\n", False),
        ("2 passed\n", "3 passed\n", False),
        ("", "a\n", False),
    ],
)
def test_what_is_shown_may_be_shortened_and_nothing_else(
    shown: str, printed: str, fits: bool
) -> None:
    assert console.fits(shown, printed) is fits


def test_a_command_that_prints_something_else_is_shown_with_that(tmp_path: Path) -> None:
    page = "```console\n$ cd torchfix-codemods\n$ ls LICENSE\nother\n```\n"
    written = "```console\n$ cd torchfix-codemods\n$ ls LICENSE\nLICENSE\n```\n"
    assert console.executed(page, tmp_path) == written
