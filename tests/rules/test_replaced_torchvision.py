"""Tests that replace a function of torchvision, and say how the code under test calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

CODE = "from torchvision import utils\ndef show(x):\n    return utils.make_grid(x, range=(0, 1))\n"
TEST = """import torch
from unittest.mock import patch
from pkg.board import show

class TestShow:
    @patch("pkg.board.utils.make_grid")
    @patch("pkg.board.Writer")
    def test_show(self, writer, grid):
        show(3)
        grid.assert_called_once_with(3, range=(0, 1))
"""
NEW = "grid.assert_called_once_with(3, value_range=(0, 1))"


def migrated(root: Path, test: str, *, together: bool = True, code: str = CODE) -> str:
    """The test after the migration of the project, or of the test alone."""
    files = {"setup.py": "", "pkg/__init__.py": "", "pkg/board.py": code, "tests/test_it.py": test}
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    path = root / "tests" / "test_it.py"
    given = [root / "pkg" / "board.py", path] if together else [path]
    results = list(migrate_files(given, Settings(select=("TP805",)), write=False, jobs=1))
    assert not any(result.errors for result in results)
    return results[-1].after or test


@pytest.mark.parametrize(
    "test",
    [
        TEST,
        TEST.replace("once_", ""),
        TEST.replace("from unittest.mock import patch", "import mock").replace("@", "@mock."),
        TEST.replace("writer, grid", "writer, grid, tmp_path"),
        TEST.replace("class TestShow:\n", "if True:\n").replace("self, ", ""),
    ],
)
def test_an_assertion_follows_the_code(tmp_path: Path, test: str) -> None:
    expected = NEW.replace("once_", "") if "once_" not in test else NEW
    assert expected in migrated(tmp_path, test)


@pytest.mark.parametrize(
    "test",
    [
        TEST.replace("grid.assert", "writer.assert"),
        TEST.replace("writer, grid", "grid, writer"),
        TEST.replace("grid.assert_called_once_with", "grid.called_with"),
        TEST.replace('Writer")', 'Writer", new=None)'),
        TEST.replace('@patch("pkg.board.Writer")', "@parametrized"),
        TEST.replace("pkg.board.utils", "pkg.gone.utils"),
        TEST.replace("pkg.board.utils", "pkg.board.show"),
        TEST.replace("utils.make_grid", "utils.save_all"),
        TEST.replace("from unittest.mock import patch", "from lib import patch"),
        TEST.replace("        show(3)", "        grid = replaced(grid)"),
        TEST.replace("        show(3)", "        if show(3):\n            grid = replaced(grid)"),
        TEST.replace("grid.assert", "nobody.assert"),
        TEST.replace("range=(0, 1)", "nrow=3, **options"),
    ],
)
def test_what_is_not_certainly_such_an_assertion_stays(tmp_path: Path, test: str) -> None:
    assert migrated(tmp_path, test) == test


def test_what_is_replaced_in_torchvision_itself(tmp_path: Path) -> None:
    assert NEW in migrated(tmp_path, TEST.replace("pkg.board.utils", "torchvision.utils"))


def test_an_assertion_of_arguments_by_position(tmp_path: Path) -> None:
    code = CODE.replace("make_grid(x, range=(0, 1))", "save_image(x, 'a.png', 8)")
    test = TEST.replace("make_grid", "save_image").replace("range=(0, 1)", "'a.png', 8")
    assert "grid.assert_called_once_with(3, 'a.png', nrow=8)" in migrated(tmp_path, test, code=code)


@pytest.mark.parametrize(
    "code",
    [
        CODE.replace("range=(0, 1)", "**options"),
        CODE + "    return utils.make_grid(x, **options)\n",
        CODE + "    return draw(utils.make_grid)\n",
        CODE.replace("    return", "    if torch.__version__ < '1':\n        return"),
        CODE.replace("1))", "1))  # noqa"),
        "from torchvision import utils\n",
    ],
)
def test_an_assertion_stays_where_a_call_may_be_as_it_was(tmp_path: Path, code: str) -> None:
    assert migrated(tmp_path, TEST, code=code) == TEST


def test_an_assertion_stays_where_what_came_third_is_not_known(tmp_path: Path) -> None:
    code = CODE.replace("make_grid(x, range=(0, 1))", "save_image(x, 'a.png', count)")
    test = TEST.replace("make_grid", "save_image").replace("range=(0, 1)", "'a.png', 8")
    assert migrated(tmp_path, test, code=code) == test


def test_a_test_alone_stays_as_its_code_does(tmp_path: Path) -> None:
    assert migrated(tmp_path, TEST, together=False) == TEST
