from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.suppression import skips_file, with_ignored

HEAD = "import torch.nn as nn\n"
OLD = "x = nn.MSELoss(size_average=False)"
NEW = 'x = nn.MSELoss(reduction="sum")'


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_only_line_ends_count_as_line_ends(separator: str) -> None:
    text = f'{HEAD}s = "a"  # {separator}\n\n{OLD}\n{OLD}  # noqa\n'
    assert migrate(text, "TP301").text == f'{HEAD}s = "a"  # {separator}\n\n{NEW}\n{OLD}  # noqa\n'


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_line_ends(newline: str) -> None:
    text = f"{HEAD}{OLD}\n{OLD}  # noqa\n".replace("\n", newline)
    assert migrate(text, "TP301").text == text.replace(OLD, NEW, 1)


@pytest.mark.parametrize("directive", ["# noqa", "# torchfix: ignore", "# torchfix: ignore[TP301]"])
def test_a_directive_inside_of_a_string_is_none(directive: str) -> None:
    text = f"{HEAD}{OLD[:-1]}).to('{directive}')\ns = '''\n{directive}\n'''; {OLD}\n"
    assert "size_average" not in migrate(text, "TP301").text


@pytest.mark.parametrize(
    "comment",
    [
        "# torchfix: ignore[TP101]  # torchfix: ignore[TP301]",
        "# noqa: E501  # torchfix: ignore[TP301]",
        "# torchfix: ignore[TP101]  # noqa: TP301",
    ],
)
def test_each_directive_of_a_comment_counts(comment: str) -> None:
    text = f"{HEAD}{OLD}  {comment}\n"
    assert migrate(text, "TP301").text == text
    assert migrate(text.replace("TP301", "TP302"), "TP301").text != text.replace("TP301", "TP302")


@pytest.mark.parametrize(
    "comment",
    [
        "# torchfix: ignore[TP3]",
        "# noqa: TP3",
        "# TORCHFIX: IGNORE[tp301]",
        "# torchfix: ignore[ TP ]",
    ],
)
def test_a_directive_may_name_the_first_digits_as_options_do(comment: str) -> None:
    text = f"{HEAD}{OLD}  {comment}\n"
    assert migrate(text, "TP301").text == text


@pytest.mark.parametrize(
    "comment",
    [
        "# torchfix: ignore TP301",
        "# torchfix: ignore: TP301 (sums are meant)",
        "# torchfix: ignore (TP301)",
        "# torchfix: ignore tp101, tp301",
        "# torchfix:ignore [TP301]",
    ],
)
def test_codes_may_stand_without_brackets(comment: str) -> None:
    text = f"{HEAD}{OLD}  {comment}\n"
    assert migrate(text, "TP301").text == text
    other = text.replace("TP301", "TP302").replace("tp301", "tp302")
    assert migrate(other, "TP301").text == other.replace(OLD, NEW)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("ignore[TP301]", "ignore[TP301, TP302]"),
        ("ignore TP301 (sums)", "ignore TP301, TP302 (sums)"),
        ("ignore", "ignore  # torchfix: ignore[TP302]"),
    ],
)
def test_a_rule_is_added_to_those_of_a_line(comment: str, expected: str) -> None:
    line = f"{OLD}  # torchfix: {comment}"
    assert with_ignored(line, "TP302") == f"{OLD}  # torchfix: {expected}"


@pytest.mark.parametrize(
    "comment", ["# torchfix: ignore, TP302 is right", "# torchfix: ignore TP: it is meant"]
)
def test_words_that_are_no_codes_leave_a_directive_about_all(comment: str) -> None:
    text = f"{HEAD}{OLD}  {comment}\n"
    assert migrate(text, "TP301").text == text


@pytest.mark.parametrize("comment", ["# noqa: T", "# noqa: TP30199", "# torchfix: ignore[TP4]"])
def test_other_codes_hide_nothing(comment: str) -> None:
    text = f"{HEAD}{OLD}  {comment}\n"
    assert migrate(text, "TP301").text == f"{HEAD}{NEW}  {comment}\n"


def test_skip_file_inside_of_a_string_is_none() -> None:
    text = f'"""Skip files with\n\n    # torchfix: skip-file\n"""\n{HEAD}{OLD}\n'
    assert not skips_file(text)
    assert skips_file(f"{text}  # torchfix: skip-file\n")
    assert skips_file(f"{text}# torchfix: skip-file\n".replace("\n", "\r"))


def test_skip_file_counts_behind_code_too() -> None:
    assert skips_file(f"import torch  # torchfix: skip-file\n{OLD}\n")
    assert not skips_file(f"import torch  # no # torchfix: skip-file\n{OLD}\n")
    assert not skips_file(f's = "# torchfix: skip-file"\n{HEAD}{OLD}\n')
    assert not skips_file('s = """ # torchfix: skip-file\n"""\nx = (\n')


def test_skip_file_counts_also_where_the_rest_is_not_python() -> None:
    assert skips_file("# torchfix: skip-file\nx = (\n")
