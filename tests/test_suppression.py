from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.suppression import skips_file

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
