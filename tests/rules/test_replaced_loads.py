"""Tests that replace torch where models are loaded, and say how `torch.load` is called there."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

CODE = """import os
import torch

class Saved(object):
    STATE_NAME = "state.pt"
    MODEL_NAME = "model.pt"

    @classmethod
    def load(cls, path):
        state = torch.load(os.path.join(path, cls.STATE_NAME))
        model = torch.load(os.path.join(path, cls.MODEL_NAME))
        model.eval()
        return state["epoch"], model
"""
TEST = """import os
from unittest import mock
from pkg.code import Saved

class TestSaved:
    @mock.patch("pkg.code.torch")
    @mock.patch("pkg.code.os")
    @mock.patch("pkg.code.open")
    def test_load(self, opened, mock_os, mocked):
        Saved.load("run")
        mocked.load.assert_any_call(os.path.join("run", Saved.STATE_NAME))
        mocked.load.assert_any_call(os.path.join("run", Saved.MODEL_NAME))
"""
MODEL = "Saved.MODEL_NAME)"
STATE = "Saved.STATE_NAME)"
NEW = TEST.replace(MODEL, f"{MODEL}, weights_only=False")


def migrated(
    root: Path, code: str, test: str, rules: tuple[str, ...] = ("TP502",)
) -> tuple[str, FileResult]:
    """The test after the migration of the project, and what was found in it."""
    files = {"setup.py": "", "pkg/__init__.py": "", "pkg/code.py": code, "tests/test_it.py": test}
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    path = root / "tests" / "test_it.py"
    given = [root / "pkg" / "code.py", path]
    settings = Settings(select=rules)
    results = list(migrate_files(given, settings, write=True, jobs=1))
    assert not any(result.errors for result in results)
    after = path.read_text()
    assert not any(result.changed for result in migrate_files(given, settings, write=True, jobs=1))
    return after, results[-1]


@pytest.mark.parametrize(
    ("code", "test", "new"),
    [
        (CODE, TEST, NEW),
        # The file is named in the test alone, or in the code alone.
        (
            CODE,
            TEST.replace("Saved.MODEL_NAME", '"model.pt"'),
            TEST.replace("Saved.MODEL_NAME)", '"model.pt"), weights_only=False'),
        ),
        (CODE.replace("cls.MODEL_NAME", "'model.pt'"), TEST, NEW),
        # All that is loaded is a model: it does not matter what is meant.
        (
            CODE.replace("os.path.join(path, cls.MODEL_NAME)", "path").replace("state = ", "# "),
            TEST.replace(MODEL, "NAME)"),
            TEST.replace(STATE, f"{STATE}, weights_only=False").replace(
                MODEL, "NAME), weights_only=False"
            ),
        ),
        # Of the two, one has what the assertion has not.
        (
            CODE.replace("cls.STATE_NAME)", "cls.STATE_NAME), map_location='cpu'"),
            TEST.replace("Saved.MODEL_NAME", "name"),
            TEST.replace(MODEL, "name), weights_only=False"),
        ),
        (CODE, TEST.replace("any_call", "called_with"), NEW.replace("any_call", "called_with")),
        # The code is as it should be, and the test waits.
        (CODE.replace("cls.MODEL_NAME)", "cls.MODEL_NAME), weights_only=False"), TEST, NEW),
    ],
)
def test_an_assertion_follows_the_load_that_it_means(
    tmp_path: Path, code: str, test: str, new: str
) -> None:
    assert migrated(tmp_path, code, test)[0] == new


def test_torch_that_is_replaced_within_a_block(tmp_path: Path) -> None:
    test = """from mock import patch
from pkg.code import Saved
with patch("pkg.code.torch") as torch:
    Saved.load("run")
torch.load.assert_called_with("run/model.pt")
"""
    after, _ = migrated(tmp_path, CODE, test)
    assert after == test.replace('.pt"', '.pt", weights_only=False')


def test_the_function_itself_that_is_replaced(tmp_path: Path) -> None:
    test = """from mock import patch
from pkg.code import Saved
@patch("torch.load")
def test_load(load):
    Saved.load("run")
    load.assert_called_with("run/model.pt")
"""
    after, _ = migrated(tmp_path, CODE, test)
    assert after == test.replace('.pt"', '.pt", weights_only=False')


@pytest.mark.parametrize(
    "test",
    [
        # Another module, another mock, another method.
        TEST.replace("pkg.code.torch", "pkg.code.dill"),
        TEST.replace("pkg.code.torch", "pkg.other.torch"),
        TEST.replace("mock_os, mocked", "mocked, mock_os"),
        TEST.replace("mocked.load", "mocked.save"),
        TEST.replace("mocked.load", "mocked.jit.load"),
        TEST.replace("mocked.load", "mocked"),
        TEST.replace("import mock", "import mine as mock"),
        TEST.replace("assert_any_call", "side_effect"),
        # It is written, or another argument is asserted.
        NEW,
        TEST.replace(MODEL, f"{MODEL}, **options"),
        TEST.replace(MODEL, f"{MODEL}, map_location='cpu'"),
        TEST.replace("MODEL_NAME", "STATE_NAME"),
    ],
)
def test_what_means_no_such_load_stays(tmp_path: Path, test: str) -> None:
    after, result = migrated(tmp_path, CODE, test)
    assert after == test
    assert not result.findings


@pytest.mark.parametrize(
    "code",
    [
        CODE.replace("model.eval()", "pass"),
        CODE.replace("import torch\n", "from mine import torch\n"),
        CODE.replace("cls.MODEL_NAME))", "cls.MODEL_NAME))  # noqa"),
        # What else is loaded cannot be seen.
        CODE + "\nload = torch.load\n",
    ],
)
def test_an_assertion_stays_as_its_load_does(tmp_path: Path, code: str) -> None:
    after, result = migrated(tmp_path, code, TEST)
    assert after == TEST
    assert not result.findings


@pytest.mark.parametrize(
    ("code", "test"),
    [
        (CODE, TEST.replace(MODEL, "name)")),
        (CODE + "\n    def other(self, **how):\n        torch.load(**how)\n", TEST),
        # A class below this one may have another name for it.
        (CODE + "\nclass Old(Saved):\n    STATE_NAME = 'old.pt'\n", TEST),
        (CODE + "\nSaved.STATE_NAME = 'old.pt'\n", TEST),
    ],
)
def test_where_another_load_may_be_meant_it_is_told(tmp_path: Path, code: str, test: str) -> None:
    after, result = migrated(tmp_path, code, test)
    assert after == test
    assert {finding.message for finding in result.findings} == {
        "torch.load in line 11 of code.py is called with weights_only=False today: where this"
        " means that call, it needs that argument, too"
    }


def test_a_file_that_becomes_one_of_a_state_dict_needs_no_argument(tmp_path: Path) -> None:
    code = """import torch
import torch.nn as nn

net = nn.Linear(3, 2)
torch.save(net, "net.pt")
again = torch.load("net.pt")
again.eval()
"""
    test = """from unittest.mock import patch
@patch("pkg.code.torch")
def test_load(torch):
    torch.load.assert_called_once_with("net.pt")
"""
    assert migrated(tmp_path, code, test, ("TP501", "TP502"))[0] == test
